"""Events stand after the one that closed the session.

## Why it matters
A closed session is done: clients neither show what comes later nor go on from it. A second writer
did not know that it was closed, or it was closed too early. What a repair added says so and is
not counted.

## Example
    {"ordinal":8,"type":"session.closed",…}
    {"ordinal":9,"type":"message.appended",…}

## Repair
None: the events are kept, and so is the close.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_LATE = """
with closed as (
    select session, min(n) as n from record where type = 'session.closed' group by session
),
late as (
    select r.session, min(r.n) as n, count(*) as records
    from record r join closed c using (session)
    where r.n > c.n and r.copy_of is null and r.kind <> 'scalar'
      and r.detail is distinct from 'added by a repair'
    group by r.session
)
select l.*, a.records from late a join located l using (session, n)
where l.store = 'eventlog'
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_LATE):
        events = "an event follows" if row.records == 1 else f"{row.records} events follow"
        yield hit(
            row,
            f"{events} after the session was closed",
            (row.id,),
            anchor="closed",
            records=row.records,
        )


RULE = Rule("708", "event-after-close", Severity.WARN, check, needs=("store:eventlog",))
