"""A result is of another kind than the call it answers.

## Why it matters
Codex pairs calls and outputs within a kind: a `custom_tool_call` wants a `custom_tool_call_output`.
An output of the wrong kind is dropped and the call is sent with a made-up `aborted`.

## Example
    {"type":"custom_tool_call","call_id":"call_1",…}
    {"type":"function_call_output","call_id":"call_1",…}

## Repair
By `--take` only: drop the pair. A local shell call is rightly answered by a function's output.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._pairs import history, take_out_pair, unsent
from suture.validators._rule import Hit, Options, Rule, hit

_MIXED = f"""
with mixed as (
    select r.session, r.lane, r.n, r.part, c.family as call_family, c.n as call_n,
           c.part as call_part
    from pairing p
    join result r on r.session = p.session and r.n = p.result_n and r.part = p.result_part
        and r.lane = p.lane
    join call c on c.session = p.session and c.n = p.call_n and c.part = p.call_part
        and c.lane = p.lane
    where p.state in ('paired', 'before_call') and p.mixed is not false and {history("p")}
        and r.family <> c.family and not (r.family = 'function' and c.family = 'local_shell')
)
select r.*, m.call_family, m.call_n, m.call_part, own.sent as call_sent
from mixed m
join located_result_in('mixed') r
    on r.session = m.session and r.n = m.n and r.part = m.part and r.lane = m.lane
join record own on own.session = m.session and own.n = m.call_n
order by r.unit, r.session, r.n, r.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MIXED):
        yield hit(
            row,
            f"{row.family} output answers a {row.call_family} call"
            f"{unsent(row.call_sent, row.sent)}",
            (row.call_id,),
            n=row.call_n,
            part=row.call_part,
            result_n=row.n,
            result_part=row.part,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out_pair(finding)


RULE = Rule(
    "313",
    "call-family",
    Severity.ERROR,
    check,
    fix,
    needs=("pairing:mixed", "pairing:walked & call:family"),
)
