"""A turn or a call has two ends.

## Why it matters
Two ends disagree about what happened, or tell the same twice: a turn that was completed and
aborted, a call that failed and succeeded. Readers take the first or the last, so two of them see
two sessions.

## Example
    {…"type":"turn.ended","payload":{"turn_id":"t1","status":"complete"}}
    {…"type":"turn.ended","payload":{"turn_id":"t1","status":"aborted"}}

## Repair
None by default: which end is the true one is for a person to say.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# A record that stands again as a whole is told as a copy.
_TURNS = """
select l.*, t.id as named, e.line as first_line
from turn t
join session s using (session)
join located l on l.session = t.session and l.turn = t.id and l.n > t.end_n
join record e on e.session = t.session and e.n = t.end_n
where t.ends > 1 and s.ends_turns and l.copy_of is null
  and (l.kind = 'turn_end' or l.type = 'event_msg/turn_aborted')
order by l.unit, l.session, l.n
"""

_CALLS = """
select l.*, p.call_id as named, e.line as first_line
from pairing p
join located l on l.session = p.session and l.n = p.result_n
join record e on e.session = p.session and e.n = p.first_n
where p.state = 'duplicate' and l.store = 'eventlog' and l.copy_of is null
  and l.type = 'tool.finished' and e.type = 'tool.finished'
order by l.unit, l.session, l.n
"""


_ASKED = (
    ("turn", "turn:twice", _TURNS),
    ("call", "pairing:duplicate & store:eventlog", _CALLS),
)


def check(db: Database, options: Options) -> Iterator[Hit]:
    for what, needed, sql in _ASKED:
        for row in db.rows(sql) if db.has(needed) else ():
            yield hit(
                row,
                f"the {what} has an end at line {row.first_line} already",
                (row.named,),
                anchor=f"{what} {row.named}",
                first_line=row.first_line,
            )


RULE = Rule(
    "707",
    "double-terminal",
    Severity.ERROR,
    check,
    needs=tuple(needed for _, needed, _ in _ASKED),
)
