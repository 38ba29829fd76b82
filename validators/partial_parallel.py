"""Some calls of a parallel batch are answered and this one is not.

## Why it matters
The batch is one message: providers want every call of it answered in the next one. Clients drop or
invent the missing half.

## Example
    calls toolu_1, toolu_2 of one response · result for toolu_1 only

## Repair
As for a call without result at the end or in the middle; real results stay untouched.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._open_call import open_calls, open_hit, repair_open_call
from suture.validators._rule import Hit, Options, Rule, Stage


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in open_calls(db, "answered > 0"):
        were = "was" if row.answered == 1 else "were"
        yield open_hit(db, row, f" while {row.answered} of its batch {were} answered")


RULE = Rule(
    "303",
    "partial-parallel",
    Severity.ERROR,
    check,
    repair_open_call,
    Stage.TAIL,
    needs=("pairing:open",),
)
