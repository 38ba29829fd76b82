"""The last turn has a start and no end.

## Why it matters
The process died in the middle of the turn. Codex shows such a turn as interrupted and keeps it
unfinished in its list of turns; the next turn starts without the words that tell the model of an
interruption. In an event log the state of the session cannot be told without the end.

## Example
    {…"type":"event_msg","payload":{"type":"task_started","turn_id":"t7"}}
    (no task_complete, no turn_aborted, no later turn)

## Repair
Append the client's own marker of an interrupted turn: in Codex the `<turn_aborted>` message, unless
that stands there, and `turn_aborted`, in an event log `turn.ended` with status aborted. Safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

# A cut-off last record may be the end, unless a call is open: told once the stub is cut. Where the
# reader says so (`fill`), it is.
_OPEN = """
with open as (
    select t.session, t.start_n as n, t.id as turn_id
    from (select session, max(turn) as turn from turn group by session) m
    join turn t using (session, turn)
    join session s using (session)
    where t.status = 'open' and t.end_n is null and s.ends_turns and s.live is null
      and (s.session not in (
            select session from damage where kind = 'torn_tail' and session is not null)
           or s.session in (select session from pairing where state = 'open'))
      and s.session not in (select session from damage
                            where kind = 'torn_tail' and fill is not null and session is not null)
)
select l.*, t.turn_id, k.key as told
from open t join located_in('open') l using (session, n)
left join state_kv k on k.session = t.session and k.n = t.n and k.scope = 'turn'
order by l.unit, l.session
"""


_TOLD = "the last turn has no end; the words that tell the model of an interruption stand there"


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_OPEN):
        yield hit(
            row,
            "the last turn has no end" if row.told is None else _TOLD,
            (row.turn_id,),
            anchor=f"turn {row.turn_id or ''}",
            severity=Severity.ERROR if row.store == "eventlog" else None,
            turn=row.turn_id,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, turn = int(str(finding.facts["session"])), finding.facts["turn"]
    operation = SetState(session, f"turn {turn or ''}", "aborted")
    return Repair("end the turn as interrupted", (operation,), Safety.SAFE)


RULE = Rule("704", "open-turn", Severity.WARN, check, fix, needs=("turn:open",))
