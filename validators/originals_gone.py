"""A compaction took the messages that it summarised out of the store.

## Why it matters
The OpenAI Agents SDK clears a session and adds the compacted items, in two transactions: what was
said before is in an encrypted item that only the provider reads, and nobody can check or undo it. A
process that ends between the two leaves a session without any item.

## Example
    agent_messages: {"type":"compaction","id":"cmp_1","encrypted_content":"gAAA…"}

## Repair
None: the messages are nowhere.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_COMPACTED = """
select l.*, c.number from compaction c join located l using (session, n)
where not c.originals_stored order by l.unit, l.session, l.n
"""
_EMPTIED = """
select s.unit, s.session, s.id as session_id, s.path, k.key as "table", k.value as key
from state_kv k join session s using (session)
where k.scope = 'emptied' and s.live is null order by s.unit, s.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_COMPACTED):
        message = "what the compaction summarised is no longer stored"
        yield hit(row, message, (row.id,), anchor=row.id or f"compaction {row.number}")
    for row in db.rows(_EMPTIED):
        yield hit(row, "the session has a row and no messages", anchor="emptied")


RULE = Rule(
    "611", "originals-gone", Severity.INFO, check, needs=("compaction:gone", "state:emptied")
)
