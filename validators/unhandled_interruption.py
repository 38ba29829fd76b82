"""A turn of an event log was cut off, and no event says so.

## Why it matters
Each crash is handled once: `session.interrupted` carries the number of the interruption, which
only grows. Without it a resume cannot tell a new crash from one that was dealt with days ago, and
warns of it again or not at all.

## Example
    {"type":"turn.started","payload":{"turn_id":"t2"},…}
    (no turn.ended, no session.interrupted)

## Repair
Append `session.interrupted` under the next number, marked as historical: it says that the crash
was before, not now. A turn that others followed is ended too, as aborted. Safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

_UNHANDLED = """
select l.*, t.id as turn_id, t.turn = m.turn as newest, coalesce(s.generation, 0)
       + row_number() over (partition by t.session order by t.turn) as generation
from turn t
join (select session, max(turn) as turn from turn group by session) m using (session)
join session s using (session)
join located l on l.session = t.session and l.n = t.start_n
where s.store = 'eventlog' and t.end_n is null and t.generation is null and s.live is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_UNHANDLED):
        yield hit(
            row,
            "the turn was cut off, and no event says that it was interrupted",
            (row.turn_id,),
            anchor=f"turn {row.turn_id or ''}",
            generation=row.generation,
            turn=row.turn_id,
            newest=row.newest,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    generation, turn = finding.facts["generation"], finding.facts["turn"]
    session = int(str(finding.facts["session"]))
    told = SetState(session, f"interruption {generation} {turn or ''}", "historical")
    if finding.facts["newest"]:
        return Repair("say that the turn was interrupted", (told,), Safety.SAFE)
    if not turn:
        return None  # later turns went on; an event at the end would speak of the wrong turn
    ended = SetState(session, f"turn {turn}", "aborted")
    return Repair("say that the turn was interrupted, and end it", (told, ended), Safety.SAFE)


RULE = Rule("705", "unhandled-interruption", Severity.ERROR, check, fix, needs=("turn:open",))
