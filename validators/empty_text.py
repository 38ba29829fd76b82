"""A text block of length 0 is in the model's view.

## Why it matters
The Messages API refuses a request with an empty text: `text content blocks must be non-empty`, on
every turn. Claude Code 2.1.197 leaves out an empty text that is all of its message or stands in a
line of the user; one beside another block of an answer is sent, 2.1.332 leaves that out too. Other
programs that go on with the transcript may send any of them. OpenCode, Crush and Goose leave empty
texts out by themselves: there it is no fault.

## Example
    {"type":"assistant",…"content":[{"type":"text","text":""},{"type":"tool_use",…}]}

## Repair
Take the block out, and with the last block its line; what hangs on the line moves up. Lossy.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.model.rows import EMPTY_ALONE
from suture.validators._odd import part_hit, take_out
from suture.validators._rule import Hit, Options, Rule

_EMPTY = """
select o.*, r.type as line_type, exists (
    select 1 from record b
    where b.session = r.session and b."group" = r."group" and b.n <> r.n and b.sent) as followed
from odd o left join record r using (session, n)
where o.kind = 'empty_text' and o.sent
order by o.unit, o.session, o.n, o.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_EMPTY):
        yield part_hit(row, f"a text of length 0 {_where(row)}")


def _where(row: Any) -> str:
    if row.store == "claude-code" and row.line_type == "user":
        return "is in a line of the user"
    if row.store == "claude-code" and row.detail == EMPTY_ALONE and not row.followed:
        return "is all that an answer holds"
    return "is sent to the model"


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "take the empty text out")


RULE = Rule("501", "empty-text", Severity.ERROR, check, fix, needs=("odd:empty_text",))
