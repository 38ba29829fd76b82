"""What spans several events: turns, compactions, and the time up to which the session goes."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from suture.model.rows import CompactionRow, StateRow
from suture.stores.google_adk.clock import micros, shown
from suture.stores.google_adk.event import Problem
from suture.stores.google_adk.session import Session
from suture.stores.google_adk.update import UPDATE_TIME, moment

TURN = ("turn", "id", "start_n", "end_n", "status", "started", "ended")


def turns(session: Session) -> list[tuple[Any, ...]]:
    """An invocation is a turn; complete if words of an agent end it."""
    kinds, times = session.kinds, session.times
    spoken = [n for n, kind in enumerate(kinds) if kind != "summary"]
    found: list[tuple[Any, ...]] = []
    for name, run in groupby(spoken, session.invocations.__getitem__):
        first, *rest = run
        last = rest[-1] if rest else first
        if kinds[last] == "reply":
            found.append((len(found), name, first, last, "complete", times[first], times[last]))
        else:
            found.append((len(found), name, first, None, "open", times[first], None))
    return found


def compactions(key: int, session: Session) -> Iterator[CompactionRow]:
    """A range of times, not of events: ranges may overlap by design."""
    for count, n in enumerate(session.compactions, 1):
        yield CompactionRow(
            session=key,
            number=count,
            n=n,
            summary_n=n,
            talk_before=_covered(session, n),
        )


def _ends(session: Session, n: int) -> tuple[int | None, int | None]:
    compaction = session.compactions[n]
    start, end = (micros(compaction.get(f"{name}_timestamp")) for name in ("start", "end"))
    return start, end


def _covered(session: Session, summary: int) -> int:
    """How many events it stands for."""
    start, end = _ends(session, summary)
    if start is None or end is None:
        return 0
    within = [
        n for n, time in enumerate(session.times) if time is not None and start <= time <= end
    ]
    return len(within) - (summary in within)


def range_problems(session: Session, n: int) -> list[Problem]:
    start, end = _ends(session, n)
    field = "actions.compaction"
    if start is None or end is None:
        return [Problem("bad_shape", field, f"{field} has no range of times")]
    if start > end:
        return [Problem("bad_shape", field, f"{field} ends before it starts")]
    if not _covered(session, n):
        return [Problem("bad_shape", field, f"{field} stands for no event of the session")]
    return []


def head_behind(key: int, session: Session) -> Iterator[StateRow]:
    """The time up to which the session's row says that it goes, if events go further."""
    said = moment(session.stored.head)
    last = max((time for time in session.times if time is not None), default=None)
    if said is not None and last is not None and last > said:
        value = f"{shown(said)} {shown(last)}"
        yield StateRow(key, None, "count", UPDATE_TIME, value)
