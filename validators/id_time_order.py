"""Ids that embed a time sort against the times that are stored beside them.

## Why it matters
Codex and others make ids of the form UUIDv7, whose first 48 bits are a clock; an id of OpenCode
starts with one too, which wraps every 795 days. A record whose id is older than the one before, but
whose stored time is newer (or the reverse), was copied from elsewhere, or the clock of its writer
stepped: what sorts by id and what sorts by time disagree.

## Example
    {"timestamp":"2026-03-02T09:00:00.000Z",…"id":"fco_019cad5e-3800-7…"}
    {"timestamp":"2026-03-02T09:05:00.000Z",…"id":"fco_019cad59-a420-7…"}

## Repair
None: ids and times stay as they were written.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_TOLERANCE = 60_000_000  # microseconds; clocks of one machine differ by less

# Version and variant digits of a UUIDv7, with or without a prefix such as `fco_`.
_PATTERN = "^([a-z]+_)?[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"

_UUID = """
with timed as (
    select session, n, time, id,
        ('0x' || replace(left(regexp_replace(id, '^[a-z]+_', ''), 13), '-', ''))::bigint * 1000
            as id_time
    from record
    where time is not null and kind <> 'header' and copy_of is null and same_id is null
      and id[-22] = '7' and regexp_matches(id, ?)
)
"""

# OpenCode: milliseconds times 4096 and a counter, modulo 2^48. It starts again every 795 days, so
# the time nearest to the stored one is meant.
_OPENCODE = """
with stamped as (
    select r.session, r.n, r.id, r.time,
        ('0x' || substr(r.id, 5, 12))::bigint // 4096 - (r.time // 1000) % 68719476736 as off
    from record r join session s using (session)
    where s.store = 'opencode' and r."table" = 'message' and r.time is not null
      and regexp_matches(r.id, '^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$')
),
timed as (
    select *, time + 1000 * (case when off > 34359738368 then off - 68719476736
        when off < -34359738368 then off + 68719476736 else off end) as id_time from stamped
)
"""

# Where the two go different ways from one record to the next.
_AGAINST = """,
stepped as (
    select session, n,
        time - lag(time) over (partition by session order by n) as time_step,
        id_time - lag(id_time) over (partition by session order by n) as id_step,
        lag(id) over (partition by session order by n) as before_id
    from timed
)
select l.*, p.before_id, p.time_step, p.id_step
from stepped p join located l using (session, n)
where sign(p.time_step) * sign(p.id_step) < 0
  and least(abs(p.time_step), abs(p.id_step)) > ?
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    found = list[Any]()
    if db.has("id:timed"):
        found += db.rows(_UUID + _AGAINST, _PATTERN, _TOLERANCE)
    if db.has("store:opencode"):
        found += db.rows(_OPENCODE + _AGAINST, _TOLERANCE)
    for row in found:
        way = "back" if row.id_step < 0 else "on"
        other = "on" if row.id_step < 0 else "back"
        yield hit(
            row,
            f"its id goes {way} by {abs(row.id_step) // 1_000_000} s, "
            f"its time {other} by {abs(row.time_step) // 1_000_000} s",
            (row.id, row.before_id),
            anchor=row.id,
        )


RULE = Rule("208", "id-time-order", Severity.WARN, check, needs=("id:timed", "store:opencode"))
