"""A call has no result yet, and may go without one.

## Why it matters
Not damage: a process still works on it, a person is asked for approval, or the provider runs it.
It is told because a session in this state is better left alone.

## Example
    call toolu_1 (Bash)
    (end of file; the process that wrote it is alive)

## Repair
None.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._pairs import history
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(
        "select c.* from pairing p join located_call c "
        "on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane "
        f"where p.state = 'open' and {history('p')} "
        "and (c.live is not null or c.legal_open is not null) "
        "order by c.unit, c.session, c.n, c.part"
    ):
        why = row.legal_open or "a writer is alive"
        yield hit(row, f"call of {row.name or 'a tool'} has no result yet: {why}", (row.call_id,))


RULE = Rule(
    "304",
    "pending-call",
    Severity.INFO,
    check,
    needs=("pairing:open & live", "pairing:open & call:waits"),
)
