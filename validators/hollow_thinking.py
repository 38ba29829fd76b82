"""Signed thinking is stored without its text by a version that stored it whole.

## Why it matters
Thinking of the latest reply must go back to the provider as it came. From 2.1.69 on Claude Code
stores an empty text with the signature, for the API streams it so: that is healthy and silent here.
In an older file the text was lost. It matters where the model is in the middle of using tools; in
a finished turn this is only a notice.

## Example
    {"type":"assistant","version":"2.1.60",…"content":[{"type":"thinking","thinking":"","signature":"EqQB…"}]}

## Repair
By `--take` only: take the thinking out. The text cannot be made again.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._odd import part_hit, take_out
from suture.validators._rule import Hit, Options, Rule

# The last response, when it ends in a call: its thinking is asked for again with the result.
_HOLLOW = """
with last as (
    select r.session, arg_max(r."group", r.n) as "group" from record r
    where r.sent and r.type = 'assistant' group by r.session
),
calling as (
    select distinct l.session, l."group" from last l join record r
      on r.session = l.session and r."group" = l."group" where r.kind = 'call'
)
select o.*, c.session is not null as wanted from odd o
join record r using (session, n)
left join calling c on c.session = o.session and c."group" = r."group"
where o.kind = 'hollow_thinking' and o.sent
order by o.unit, o.session, o.n, o.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_HOLLOW):
        severity = Severity.WARN if row.wanted else Severity.INFO
        text = "thinking is stored with its signature and without its text"
        yield part_hit(row, text, severity=severity)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "take the thinking out", Safety.MANUAL)


RULE = Rule("505", "hollow-thinking", Severity.WARN, check, fix, needs=("odd:hollow_thinking",))
