"""The context window, the compactions that made it, turns and steps."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from suture.model.rows import CompactionRow
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores.mapped.message import SPOKEN
from suture.stores.mapped.session import Session, Summary, entries
from suture.stores.mapped.viewing import View

_ENTRY = (
    *("version", "pos", "n", "kind", "current", "original_seqs", "call_ids", "result_id"),
    *("table", "key"),
)


def window(view: View, sink: Sink) -> None:
    if view.session.windowed:
        rows = list(_entries(view))
        add_rows(sink, "context_entry", _ENTRY, rows, session=view.key)


def _entries(view: View) -> Iterator[tuple[Any, ...]]:
    own, places, reached = view.table("message").name, view.places, view.session.version or 0
    for pos, (message, version, summaries, originals) in enumerate(entries(view.session)):
        if message is None or summaries:
            table, key = view.table("summary").name, view.place("summary", summaries[0].row)
        else:
            table, key = own, places[message.n]
        ordinal = message.ordinal if message is not None else summaries[0].message
        is_summary = message is None or message.kind == "summary"
        yield (
            version,
            ordinal if ordinal is not None else -1 - pos,
            None if message is None or is_summary else message.n,
            "summary" if is_summary else "original",
            version is None or version <= reached,
            list(originals) if originals is not None else None,
            [call.id for call in message.calls] if message is not None else [],
            message.results[0].id if message is not None and message.results else None,
            table,
            key,
        )


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
