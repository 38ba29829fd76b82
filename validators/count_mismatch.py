"""A number that the store keeps beside the rows is not what the rows add up to.

## Why it matters
Lists and budgets show the stored number. A counter of events that stands above the last event says
that events are gone; OpenCode 1.18.33 goes on after it and leaves the hole.

## Example
    session: (ses_1, tokens_input 30); its steps say 10 + 5
    event_sequence: (ses_1, seq 7); the last event is 2

## Repair
Set the number to what the rows say. Safe. A counter is never set back: its numbers may be known to
a peer already.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetCounter
from suture.validators._rule import Hit, Options, Rule, hit

# Of a count: its name, the stored number and the one that the rows give.
_COUNTS = """
select s.unit, s.session, s.id as session_id, s.path, k.key as name,
       split_part(k.value, ' ', 1) as stored, split_part(k.value, ' ', 2) as found,
       s."table", s.key, null as line, null as "offset", null as length
from state_kv k join session s using (session)
where k.scope = 'count' and s.live is null
order by s.unit, s.session, k.key
"""
_COUNTERS = ("event_sequence.seq",)


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_COUNTS):
        if row.stored != row.found:
            yield hit(
                row,
                f"{row.name} is stored as {row.stored[:24]}, the rows give {row.found[:24]}",
                anchor=f"count {row.name}",
                name=row.name,
            )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    name = str(finding.facts["name"])
    if name in _COUNTERS:
        return None
    operation = SetCounter(int(str(finding.facts["session"])), name, 0)
    return Repair(f"set {name} to what the rows give", (operation,), Safety.SAFE)


RULE = Rule("703", "count-mismatch", Severity.WARN, check, fix, needs=("state:count",))
