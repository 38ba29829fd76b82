"""A reply has no content and no final status.

## Why it matters
Its stream broke off before the first block. The Messages API wants content in every message but the
last: `all messages must have non-empty content`. A reply without content that states how it ended
is complete, and one that the answer of a retry follows is what Claude Code 2.1.166 and later leave.

## Example
    {"type":"assistant",…"message":{"role":"assistant","content":[],"stop_reason":null}}

## Repair
Drop the line; what hangs on it moves up. No text is made up. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._odd import part_hit, take_out
from suture.validators._rule import Hit, Options, Rule

_EMPTY = """
select o.* from odd o
join record r using (session, n)
where o.kind = 'empty_message' and o.sent and o.live is null and r.status is null
  and not exists (
    select 1 from record c
    where c.session = o.session and c.parent = o.id and c.type = 'assistant')
order by o.unit, o.session, o.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_EMPTY):
        yield part_hit(row, "a reply without content does not say how it ended")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "drop the empty reply")


RULE = Rule("503", "empty-assistant", Severity.ERROR, check, fix, needs=("odd:empty_message",))
