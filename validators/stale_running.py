"""A call, a compaction or a session is stored as running, but nothing runs it any more.

## Why it matters
The session was closed, or nobody has written to it for a day. A client that trusts the status
waits for a call that never ends; one that calls old rows failed invites a second run of what may
have taken effect.

## Example
    {"type":"tool.started","payload":{"call_id":"c1"},…}
    {"type":"session.closed",…}

## Repair
None of its own for a call: the rules about unanswered calls say what is known of its outcome and
give it an end that does not pretend to know more. The mark of a compaction that nothing works on
is taken away (OpenCode 1.18.33 does not look at it): lossy. A session of a database is stored as
closed if its end is stored (safe), as interrupted if it was left alone (lossy).
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

_RUNNING = """
with running as (
    select c.* from located_call c
    join pairing p on p.session = c.session and p.call_n = c.n and p.call_part = c.part
        and p.lane = c.lane
    where c.state = 'running' and p.state = 'open' and c.live is null and c.legal_open is null
        and c.store <> 'opencode'
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

_COMPACTING = """
select l.*, (? - last.time) // 3600000000 as hours from state_kv k
join located l on l.session = k.session and l.n = k.n
join (select session, max(time) as time from record group by session) last
    on last.session = k.session
where k.scope = 'compacting' and l.live is null and last.time < ?
order by l.unit, l.session
"""

_SESSIONS = """
with last as (select session, max(time) as time from record group by session)
select s.*, s.id as session_id, (? - l.time) // 3600000000 as hours
from session s left join last l using (session)
where s.status = 'running' and s."table" is not null and s.live is null
    and (s.closed or l.time < ?)
order by s.unit, s.session
"""


_CALL, _MARK, _SESSION = "pairing:open & call:running", "state:compacting", "running"


def check(db: Database, options: Options) -> Iterator[Hit]:
    stale = options.now, options.now - options.stale_after
    for row in db.rows(_RUNNING, *stale) if db.has(_CALL) else ():
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
    for row in db.rows(_COMPACTING, *stale) if db.has(_MARK) else ():
        yield hit(
            row,
            f"a compaction is marked as running, but nothing was written for {row.hours} hours",
            anchor="compacting",
            severity=Severity.WARN,
            compacting=True,
        )
    for row in db.rows(_SESSIONS, *stale) if db.has(_SESSION) else ():
        idle = f"session is running, but nothing was written for {row.hours} hours"
        yield hit(
            row,
            "session is stored as running, and its end is stored too" if row.closed else idle,
            anchor="status",
            severity=None if row.closed else Severity.WARN,
            ended="closed" if row.closed else "interrupted",
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if ended := finding.facts.get("ended"):
        state = SetState(int(str(finding.facts["session"])), "session", str(ended))
        safety = Safety.SAFE if ended == "closed" else Safety.LOSSY
        return Repair(f"store the session as {ended}", (state,), safety)
    if not finding.facts.get("compacting"):
        return None
    operation = SetState(int(str(finding.facts["session"])), "session time_compacting", "none")
    return Repair("take away the mark of a running compaction", (operation,), Safety.LOSSY)


RULE = Rule(
    "701",
    "stale-running",
    Severity.ERROR,
    check,
    fix,
    needs=(_CALL, _MARK, _SESSION),
    by_clock=True,
)
