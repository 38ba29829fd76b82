"""A further record without a parent stands in the middle of a session.

## Why it matters
A walk to the root ends there: what stands before is not sent. Compactions start a new root on
purpose, and local commands, hooks and subagents have their own; those are silent here.

## Example
    a  parent null
    b  parent a
    c  parent null   "go on"

## Repair
None: a new start may be what the writer wanted.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_ROOTS = """
with main as (
    select session, min(n) as first_n from record
    where chained and lane = 'main' and kind in ('prompt', 'reply', 'call', 'result', 'summary')
    group by session
)
select l.* from located l join main m on m.session = l.session
where l.chained and l.lane = 'main' and l.parent is null and l.n > m.first_n
    and l.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort', 'summary')
    and l.copy_of is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ROOTS):
        yield hit(row, "record starts a new root that no compaction explains", (row.id,))


RULE = Rule("411", "extra-root", Severity.INFO, check, needs=("parent",))
