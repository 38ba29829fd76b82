"""What a tool's result holds is of a shape that crashed a client.

## Why it matters
Claude Code draws the old results when it resumes, from `toolUseResult`. Some versions stopped with
a TypeError where it is no text and no object, and for file edits where it is null or empty.
The model does not see that key. A `content` that is neither text nor a list of blocks is refused.

## Example
    {"type":"user",…"content":[{"type":"tool_result",…}]},"toolUseResult":null}

## Repair
Take the key that is not sent out (lossy). For the content: none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Cut, Policy, Repair, Safety
from suture.model.place import Span
from suture.validators._odd import part_hit
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule

_ODD = """
select * from odd
where kind = 'result_shape' and on_chain is not false
  and (detail not in ('toolUseResult is {}', 'toolUseResult is null')
       or (session, call_id) in (
            select (session, call_id) from call
            where name in ('Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'TaskOutput')))
order by unit, session, n, part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ODD):
        yield part_hit(row, row.detail, row.call_id or row.id)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    place = finding.place
    if finding.facts["offset"] is None or not isinstance(place, Span):
        return None
    span = Span(place.path, place.line, number(finding, "offset"), number(finding, "length"))
    return Repair("take toolUseResult out", (Cut(span),), Safety.LOSSY)


RULE = Rule("513", "result-shape", Severity.WARN, check, fix, needs=("odd:result_shape",))
