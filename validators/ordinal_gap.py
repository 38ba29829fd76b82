"""The ordinals of a log skip numbers that no record holds.

## Why it matters
In a log that numbers every record a hole says that records are lost, or that a writer died between
taking a number and writing. Codex up to 0.153 stops its list of turns there; from 0.154 on it
passes over the gap. A line that cannot be read accounts for one missing number.

## Example
    {"timestamp":…,"ordinal":15,…}
    {"timestamp":…,"ordinal":21,…}

## Repair
None: what is not there cannot be made up, and new numbers would hide the loss.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._ordinals import steps
from suture.validators._rule import Hit, Options, Rule, hit

_SHOWN = 100
_STEPS = """
select w.session, w.n, w.ordinal, w.step, w.highest, w.before_line, l.unit, l.session_id, l.path,
       l.line, l."offset", l.length, l."table", l.key
from ordinal_step w join located_in('ordinal_step') l using (session, n)
order by l.unit, w.session, w.n
"""
# Lines that stand for a number which cannot be read off them.
_UNREAD = """
select session, line from damage
where session is not null and n is null and recovered = 0 and line is not null
union all
select session, line from record
where ordinal is null and kind <> 'scalar' and line is not null
    and session in (select session from ordinal_step)
order by session, line
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    found = steps(db, _STEPS)
    if not any(row.step == "jump" for row in found):
        return
    unread, late, repeated = (defaultdict[int, list[int]](list) for _ in range(3))
    for session, line in db.rows(_UNREAD):
        unread[session].append(line)
    for row in found:
        if row.step == "backwards":
            late[row.session].append(row.ordinal)
        elif row.step == "duplicate":
            repeated[row.session].append(row.line)
    for ordinals in late.values():
        ordinals.sort()
    since: dict[int, int] = {}
    for row in found:
        if row.step != "jump":
            continue
        low, high = row.highest + 1, row.ordinal
        between = (since.get(row.session, 0), row.line)
        since[row.session] = row.line
        held = _within(late[row.session], low, high)
        lost = _within(unread[row.session], row.before_line, row.line)
        lost += _within(repeated[row.session], *between)
        absent = high - low - held - lost
        if absent > 0:
            yield hit(
                row,
                f"ordinal jumps from {row.highest} to {row.ordinal}",
                anchor=f"ordinal {row.ordinal}",
                ordinal=row.ordinal,
                absent=absent,
                missing=_missing(late[row.session], low, high),
            )


def _within(values: Sequence[int], low: int, high: int) -> int:
    return bisect_left(values, high) - bisect_left(values, low)


def _missing(late: Sequence[int], low: int, high: int) -> list[int]:
    held = set(late[bisect_left(late, low) : bisect_left(late, high)])
    return [o for o in range(low, min(high, low + _SHOWN)) if o not in held]


RULE = Rule("203", "ordinal-gap", Severity.WARN, check, needs=("ordinal:odd",))
