"""A tool call is stored as running, but nothing runs it any more.

## Why it matters
The session was closed, or nobody has written to it for a day. A client that trusts the status
waits for a call that never ends; one that calls old rows failed invites a second run of what may
have taken effect.

## Example
    {"type":"tool.started","payload":{"call_id":"c1"},…}
    {"type":"session.closed",…}

## Repair
None of its own: where the call has no result, the rules about unanswered calls say what is known
of its outcome and give it an end that does not pretend to know more.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_RUNNING = """
with running as (
    select c.* from located_call c
    join pairing p on p.session = c.session and p.call_n = c.n and p.call_part = c.part
        and p.lane = c.lane
    where c.state = 'running' and p.state = 'open' and c.live is null and c.legal_open is null
),
last as (
    select session, max(time) as time from record
    where session in (select session from running) group by session
)
select r.*, s.status is not distinct from 'closed' as closed, (? - l.time) // 3600000000 as hours
from running r join session s using (session) join last l using (session)
where s.status = 'closed' or l.time < ?
order by r.unit, r.session, r.n, r.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_RUNNING, options.now, options.now - options.stale_after):
        tool = row.name or "a tool"
        idle = f"call of {tool} is running, but nothing was written for {row.hours} hours"
        yield hit(
            row,
            f"call of {tool} is running in a closed session" if row.closed else idle,
            (row.call_id,),
            severity=None if row.closed else Severity.WARN,
            n=row.n,
            tool=row.name,
            side_effect=row.side_effect,
        )


RULE = Rule("701", "stale-running", Severity.ERROR, check, needs=("pairing:open",))
