r"""A text that is sent holds the character U+0000.

## Why it matters
Programs that hand text on as C strings stop at it: with NULs in the output of a tool Claude Code
sends a cut-off body, and the API answers `The request body is not valid JSON: unexpected end of
data`. OpenCode sends the escape as it stands, in a body that is whole: there it is no fault.

## Example
    {"type":"tool_result","tool_use_id":"toolu_1","content":"ok\u0000\u0000"}

## Repair
Put U+FFFD, the sign for what cannot be shown, in its place; both escapes are of one length, so no
byte moves. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Replace, Safety
from suture.model.place import Span
from suture.validators._odd import part_hit
from suture.validators._rule import Hit, Options, Rule

_ESCAPE = len(rb"\u0000")
_MOST = 50_000  # places in one repair


# A call that cannot be replayed has a finding of its own, and no repair by default.
_NULS = """
select o.* from odd o
where o.kind = 'nul_text' and o.sent and not exists (
    select 1 from call c where c.session = o.session and c.n = o.n and c.malformed is not null)
order by o.unit, o.session, o.n, o.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_NULS):
        at = None if row.at is None else row.at[:_MOST]
        yield part_hit(row, f"{row.detail} that is sent", row.call_id or row.id, at=at)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    at, place = finding.facts["at"], finding.place
    if not isinstance(at, list) or not isinstance(place, Span):
        return None
    spans = [Span(place.path, place.line, int(offset), _ESCAPE) for offset in at]
    operations = tuple(Replace(span, rb"\ufffd") for span in spans)
    return Repair("put U+FFFD in the place of U+0000", operations, Safety.LOSSY)


RULE = Rule("511", "nul-in-text", Severity.ERROR, check, fix, needs=("odd:nul_text",))
