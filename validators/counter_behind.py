"""The stored next number is not above every number in use.

## Why it matters
The engine takes the next message's number from this counter. The insert then meets a row that has
the number already and fails: the session can be read but not gone on with.

## Example
    session: (s1, next_msg_seq 7); raw_message: … (s1, 7)

## Repair
Set the counter to the highest number in use plus one. Safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetCounter
from suture.validators._rule import Hit, Options, Rule, hit

_BEHIND = """
select s.unit, s.session, s.id as session_id, s.path, s.counter, max(r.ordinal) as highest,
       arg_max(r.line, r.ordinal) as line, arg_max(r."offset", r.ordinal) as "offset",
       arg_max(r.length, r.ordinal) as length,
       coalesce(any_value(s."table"), arg_max(r."table", r.ordinal)) as "table",
       coalesce(any_value(s.key), arg_max(r.key, r.ordinal)) as key
from session s join record r using (session)
where s.counter is not null
group by all having max(r.ordinal) >= s.counter
order by s.unit, s.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_BEHIND):
        yield hit(
            row,
            f"the next number is stored as {row.counter}, but {row.highest} is in use",
            anchor="counter",
            stored=row.counter,
            first=row.highest + 1,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, first = int(str(finding.facts["session"])), int(str(finding.facts["first"]))
    operation = SetCounter(session, "counter", first)
    return Repair(f"set the next number to {first}", (operation,), Safety.SAFE)


RULE = Rule("207", "counter-behind", Severity.ERROR, check, fix, needs=("counter",))
