"""A reply is stored as unfinished, and nobody works on it.

## Why it matters
The client died while the reply was written. OpenCode 1.18.33 sends what is stored of it; who waits
for its end waits for ever.

## Example
    message: {"role":"assistant","time":{"created":1772442021000},…}      (no time.completed)

## Repair
Give it the time of its last stored part as its end, and the mark of an abort. Safe: nothing that
was said changes. No other error is ever set: OpenCode would leave the whole reply out.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

_OPEN = """
select * from located where status = 'unfinished' and live is null order by unit, session, n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_OPEN):
        yield hit(row, "the reply is stored without an end", (row.id,), id=row.id)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, name = int(str(finding.facts["session"])), finding.facts["id"]
    operation = SetState(session, f"message {name}", "completed")
    return Repair("end the reply as aborted", (operation,), Safety.SAFE)


RULE = Rule("504", "unfinished-message", Severity.ERROR, check, fix, needs=("rows",))
