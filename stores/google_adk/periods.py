"""What spans several events: turns, compactions, and the time up to which the session goes."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from suture.model.rows import CompactionRow, StateRow, TurnRow
from suture.stores._tables import Record
from suture.stores.google_adk.clock import micros, shown
from suture.stores.google_adk.event import Event, Problem
from suture.stores.google_adk.update import UPDATE_TIME, moment

Out = Iterator[tuple[str, tuple[Any, ...]]]


def turns(key: int, events: Sequence[Event]) -> Out:
    """An invocation is a turn; complete if words of an agent end it."""
    spoken = [(n, one) for n, one in enumerate(events) if one.kind != "summary"]
    runs = groupby(spoken, key=lambda pair: str(pair[1].row["invocation_id"]))
    for turn, (name, group) in enumerate(runs):
        run = list(group)
        (first, start), (last, end) = run[0], run[-1]
        done = end.kind == "reply"
        yield (
            "turn",
            TurnRow(
                session=key,
                turn=turn,
                id=name,
                start_n=first,
                end_n=last if done else None,
                status="complete" if done else "open",
                started=start.time,
                ended=end.time if done else None,
            ),
        )


def compactions(key: int, events: Sequence[Event]) -> Out:
    """A range of times, not of events: ranges may overlap by design."""
    found = [n for n, one in enumerate(events) if one.compaction is not None]
    for count, n in enumerate(found, 1):
        yield (
            "compaction",
            CompactionRow(
                session=key,
                number=count,
                n=n,
                summary_n=n,
                talk_before=len(_covered(events, events[n])),
            ),
        )


def _ends(one: Event) -> tuple[int | None, int | None]:
    compaction = one.compaction or {}
    start, end = (micros(compaction.get(f"{name}_timestamp")) for name in ("start", "end"))
    return start, end


def _covered(events: Sequence[Event], summary: Event) -> list[Event]:
    start, end = _ends(summary)
    if start is None or end is None:
        return []
    others = (one for one in events if one is not summary)
    return [one for one in others if one.time is not None and start <= one.time <= end]


def range_problems(events: Sequence[Event], one: Event) -> list[Problem]:
    if one.compaction is None:
        return []
    start, end = _ends(one)
    field = "actions.compaction"
    if start is None or end is None:
        return [Problem("bad_shape", field, f"{field} has no range of times")]
    if start > end:
        return [Problem("bad_shape", field, f"{field} ends before it starts")]
    if not _covered(events, one):
        return [Problem("bad_shape", field, f"{field} stands for no event of the session")]
    return []


def head_behind(key: int, events: Sequence[Event], head: Record | None) -> Out:
    """The time up to which the session's row says that it goes, if events go further."""
    said = moment(head)
    last = max((one.time for one in events if one.time is not None), default=None)
    if said is not None and last is not None and last > said:
        value = f"{shown(said)} {shown(last)}"
        yield "state_kv", StateRow(key, None, "count", UPDATE_TIME, value)
