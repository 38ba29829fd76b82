"""The context window, the compactions that made it, turns and steps."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from suture.model.rows import CompactionRow
from suture.stores._rows import add_columns, add_rows
from suture.stores._sink import Sink, column
from suture.stores.mapped.message import SPOKEN, Message
from suture.stores.mapped.session import Session, Summary, entries
from suture.stores.mapped.viewing import View


def window(view: View, sink: Sink) -> None:
    session = view.session
    if not session.windowed:
        return
    shown = [m for m, sent in zip(session.messages, session.sent, strict=True) if sent]
    if session.in_force or view.notes or not all(_is_plain(m, session.version) for m in shown):
        _listed(view, sink)
    elif shown:
        _plain(view, shown, sink)


def _is_plain(message: Message, version: int | None) -> bool:
    """Whether it counts for the version and, where nothing is summed up, for itself alone."""
    return message.version == version and message.ordinal is not None and message.kind != "summary"


def _plain(view: View, shown: Sequence[Message], sink: Sink) -> None:
    """As most windows are: what all entries have alike is said once."""
    ordinals = column([m.ordinal for m in shown], pa.int64())
    ends = pa.array(range(len(shown) + 1), pa.int32())
    columns = {
        "pos": ordinals,
        "n": [m.n for m in shown],
        "original_seqs": pa.ListArray.from_arrays(ends, ordinals),
        "call_ids": [[call.id for call in m.calls] if m.calls else [] for m in shown],
        "result_id": [m.results[0].id if m.results else None for m in shown],
        "key": [view.places[m.n] for m in shown],
    }
    same = {"version": view.session.version, "kind": "original", "current": True}
    table = view.table("message").name
    add_columns(sink, "context_entry", columns, session=view.key, table=table, **same)


def _listed(view: View, sink: Sink) -> None:
    session, places, reached = view.session, view.places, view.session.version or 0
    found = list(entries(session))
    if not found:
        return
    messages, versions, summaries, originals = zip(*found, strict=True)
    own, compacted = view.table("message").name, session.mapping.summary
    other = compacted.table if compacted is not None else own
    shown = list(zip(messages, summaries, strict=True))
    ordinals = [some[0].message if one is None else one.ordinal for one, some in shown]
    columns = {
        "version": list(versions),
        "pos": [-1 - pos if one is None else one for pos, one in enumerate(ordinals)],
        "n": [None if one is None or one.kind == "summary" else one.n for one in messages],
        "kind": [
            "summary" if one is None or one.kind == "summary" else "original" for one in messages
        ],
        "current": [version is None or version <= reached for version in versions],
        "original_seqs": list(originals),
        "call_ids": [
            [call.id for call in one.calls] if one and one.calls else [] for one in messages
        ],
        "result_id": [one.results[0].id if one and one.results else None for one in messages],
        "table": [other if one is None or some else own for one, some in shown],
        "key": [
            view.place("summary", some[0].row) if one is None or some else places[one.n]
            for one, some in shown
        ],
    }
    add_columns(sink, "context_entry", columns, session=view.key)


def compactions(view: View) -> Iterator[CompactionRow]:
    session = view.session
    if not session.messages or not session.summaries:
        return
    sent = sum(map(bool, session.sent))
    for number, summary in enumerate(session.summaries, 1):
        own = session.by_ordinal.get(summary.message) if summary.message is not None else None
        boundary = own.n if own else _last_covered(session, summary)
        before = [m for m in session.messages[:boundary] if m.kind in SPOKEN]
        yield CompactionRow(
            session=view.key,
            number=number,
            n=boundary,
            summary_n=own.n if own else None,
            needs_summary=True,
            version=summary.version,
            kept=sent if summary.version == session.version else None,
            talk_before=len(before),
        )


def _last_covered(session: Session, summary: Summary) -> int:
    known = [session.by_ordinal[o].n for o in summary.covers if o in session.by_ordinal]
    return max(known, default=len(session.messages) - 1)


_TURN = ("turn", "start_n", "end_n", "status")
_STEP = ("step", "turn", "first_n", "last_n")


def periods(view: View, sink: Sink) -> None:
    """Turns run from one prompt to the next; a reply without calls completes one."""
    kinds = [message.kind for message in view.session.messages]
    starts = [n for n, kind in enumerate(kinds) if kind == "prompt"]
    turns: list[tuple[Any, ...]] = []
    for number, (start, stop) in enumerate(pairwise([*starts, len(kinds)])):
        done = kinds[stop - 1] == "reply"
        turns.append((number, start, stop - 1 if done else None, "complete" if done else "open"))
    add_rows(sink, "turn", _TURN, turns, session=view.key, id=None)
    steps: list[tuple[Any, ...]] = []
    turn = -1
    for n, kind in enumerate(kinds):
        if kind == "prompt":
            turn += 1
        elif kind in ("reply", "call"):
            steps.append((len(steps), turn if turn >= 0 else None, n, n))
    add_rows(sink, "step", _STEP, steps, session=view.key, id=None)
