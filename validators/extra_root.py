"""A further record without a parent stands in the middle of a session.

## Why it matters
A walk to the root ends there: what stands before is not sent, and a resume says so although this is
no more than a note. Compactions start a new root on
purpose, and local commands, hooks and subagents have their own; those are silent here.

## Example
    a  parent null
    b  parent a
    c  parent null   "go on"

## Repair
None: a new start may be what the writer wanted.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._chain import TALK, Links, links
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
    for session, rows in groupby(db.rows(_ROOTS), key=lambda row: row.session):
        found = links(db, session)
        for row in rows:
            before = _other_talk_before(found, row.n)
            if not before:
                continue  # its own followers stand before it
            message = "record starts a new root that no compaction explains"
            if row.on_chain and row.sent and not all(record.sent for record in before):
                message += ", what stands before is not sent"
            yield hit(row, message, (row.id,))


def _other_talk_before(found: Links, root: int) -> list[Any]:
    """What was said earlier in the file and does not hang on this root."""
    below, waiting = {root}, [root]
    while waiting:
        fresh = [kid for kid in found.kids(waiting.pop()) if kid not in below]
        below.update(fresh)
        waiting += fresh
    return [
        record
        for n, record in found.records.items()
        if n < root and n not in below and record.lane == "main" and record.kind in TALK
    ]


RULE = Rule("411", "extra-root", Severity.INFO, check, needs=("parent",))
