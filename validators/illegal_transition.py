"""An event of a tool call or a step cannot follow what came before it.

## Why it matters
A call ends after it was started, starts unless it was denied, and a step is completed once. Where
the events say otherwise, two writers were at work or events were lost, and whether the tool ran
cannot be told.

## Example
    {"type":"tool.denied","payload":{"call_id":"c1"},…}
    {"type":"tool.started","payload":{"call_id":"c1"},…}

## Repair
None by default: which of the events is wrong is for a person to say.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# Events that suture added close a call of any state.
_CALLS = """
with steps as (
    select l.*, p.call_id,
        count(*) filter (where l.type = 'tool.proposed') over w as proposed,
        count(*) filter (where l.type = 'tool.started') over w as started,
        count(*) filter (where l.type = 'tool.denied') over w as denied,
        count(*) filter (where l.type = 'tool.finished') over w as finished
    from part p join located l using (session, n)
    where l.store = 'eventlog' and p.call_id is not null and l.copy_of is null
    window w as (partition by p.session, p.call_id order by p.n
                 rows between unbounded preceding and 1 preceding)
)
select s.* from steps s
left join result r on r.session = s.session and r.n = s.n
where proposed = 1 and not coalesce(r.marked, false) and (
    s.type = 'tool.finished' and started = 0 and finished = 0 and denied = 0
    or s.type in ('tool.started', 'tool.finished', 'tool.approved') and denied > 0
    or s.type = 'tool.started' and finished > 0)
order by s.unit, s.session, s.n
"""

_STEPS = """
select l.*, t.id as step_id, t.starts, t.ends from step t
join located l on l.session = t.session and l.n = t.last_n
where t.starts is not null and l.store = 'eventlog' and (t.ends > 1 or t.starts = 0)
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_CALLS):
        yield hit(row, _told(row), (row.call_id,), anchor=f"{row.type} {row.call_id}")
    for row in db.rows(_STEPS):
        how = f"was completed {row.ends} times" if row.ends > 1 else "was completed, never started"
        yield hit(row, f"the step {how}", (row.step_id,), anchor=f"step {row.step_id}")


def _told(row: Any) -> str:
    did = {"tool.started": "started", "tool.approved": "approved"}.get(row.type, "finished")
    if row.denied:
        return f"the call was {did} after it was denied"
    if row.type == "tool.started":
        return "the call was started after it was finished"
    return "the call was finished, but never started"


RULE = Rule("706", "illegal-transition", Severity.ERROR, check, needs=("store:eventlog",))
