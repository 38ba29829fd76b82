"""Two branches of one parent were written in turns.

## Why it matters
Two processes resumed the same session and both went on. Each resume follows one branch only, so the
work of the other is forgotten. A person who goes back and asks anew leaves a branch that ends where
the new one begins; these two alternate.

## Example
    b1  parent a
    b2  parent a
    c1  parent b1
    c2  parent b2

## Repair
None: which of the two is wanted only a person can say.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._branches import dead_branches
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for branch in dead_branches(db):
        if branch.alternates:
            yield hit(
                branch.first,
                f"{len(branch.lines)} records of a second branch alternate with the live one",
                anchor=branch.first.id,
                lines=list(branch.lines),
            )


RULE = Rule("406", "concurrent-fork", Severity.WARN, check, needs=("off_chain",))
