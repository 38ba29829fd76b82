"""The stored times go back.

## Why it matters
The order of a log is the order of its lines, and every client reads it so. Times that go back tell
of a clock that was set, of parallel writers, or of copied lines; what sorts by time shows another
order. In a Codex rollout each line gets its time when it is appended, so a step of
more than a minute needs an explanation: a fork, a compaction or a new header gives one.

## Example
    {"timestamp":"2026-03-02T09:10:00.000Z",…}
    {"timestamp":"2026-03-02T09:00:00.000Z",…}

## Repair
None: neither order nor times are changed.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_MINUTE = 60_000_000
_SECOND = 1_000_000  # parallel results land in any order
# Most sessions are in order, which is told in the order in which the rows were put in: that costs
# no sorting.
_STEPS = f"""
with stepped as (
    select session, session = lag(session) over () as same, n > lag(n) over () as follows,
           time >= lag(time) over () as later
    from record where time is not null and copy_of is null
),
suspect as (select session from stepped where same and not (follows and later)),
timed as (
    select session, n, lane, kind, time,
        lag(time) over w as before, lag(kind) over w as before_kind
    from record semi join suspect using (session) where time is not null and copy_of is null
    window w as (partition by session, lane order by n)
),
told as (select * from timed where before - time > {_SECOND})
select l.*, t.before - t.time as back,
    l.store = 'codex' and t.before - t.time > {_MINUTE}
        and t.kind not in ('header', 'boundary', 'summary')
        and t.before_kind not in ('header', 'boundary', 'summary') as stands_out
from told t join located_in('told') l using (session, n)
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    if not db.has("time:odd"):
        return
    told: set[int] = set()
    for row in db.rows(_STEPS):
        seconds = row.back // _SECOND
        message = f"its time is {seconds} s before that of the record before"
        if row.stands_out:
            yield hit(
                row,
                message,
                anchor=f"time {row.time}",
                severity=Severity.WARN,
                seconds=seconds,
            )
        elif row.session not in told:  # the first of a session says it for all
            told.add(row.session)
            yield hit(row, message, anchor="times", seconds=seconds)


RULE = Rule(
    "209", "timestamp-backwards", Severity.INFO, check, needs=("store:codex", "store:eventlog")
)
