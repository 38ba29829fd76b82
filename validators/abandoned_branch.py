"""A branch of the conversation is no longer followed.

## Why it matters
Not damage: a person went back and asked anew. The old branch stays in the file, and no resume
shows it to the model.

## Example
    b  parent a   "draw a fox"
    c  parent b
    d  parent a   "draw a hare"      (the live branch)

## Repair
None.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._branches import dead_branches
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for branch in dead_branches(db):
        if not branch.alternates:
            count = len(branch.lines)
            what = "record is" if count == 1 else "records are"
            yield hit(
                branch.first,
                f"{count} {what} on a branch that was left",
                anchor=branch.first.id,
                lines=list(branch.lines),
            )


RULE = Rule("407", "abandoned-branch", Severity.INFO, check, needs=("off_chain",))
