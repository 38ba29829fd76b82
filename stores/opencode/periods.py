"""Turns, steps and compactions."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from suture.model.rows import CompactionRow, EntryRow, StepRow, TurnRow
from suture.stores.opencode.compactions import Compaction, compactions
from suture.stores.opencode.stored import MESSAGE, PART, Message, Stored
from suture.stores.opencode.values import at, integer, microseconds, string

Places = Mapping[tuple[str, str], int]


def turns(session: int, stored: Stored, n_of: Places) -> Iterator[TurnRow]:
    """From one user message to the next."""
    starts = [i for i, m in enumerate(stored.messages) if at(m.body, "role") == "user"]
    for number, (start, stop) in enumerate(pairwise([*starts, len(stored.messages)])):
        first, last = stored.messages[start], stored.messages[stop - 1]
        end = None if last is first else at(last.body, "time", "completed")
        status = _status(last)
        yield TurnRow(
            session=session,
            turn=number,
            id=first.id,
            start_n=n_of[MESSAGE, first.id],
            end_n=n_of[MESSAGE, last.id] if status != "open" else None,
            status=status,
            started=microseconds(at(first.body, "time", "created")),
            ended=microseconds(end) if status != "open" else None,
        )


def _status(last: Message) -> str:
    error = at(last.body, "error", "name")
    if error is not None:
        return "aborted" if error == "MessageAbortedError" else "failed"
    finish = at(last.body, "finish")
    return "complete" if finish is not None and finish != "tool-calls" else "open"


def steps(session: int, stored: Stored, n_of: Places) -> Iterator[StepRow]:
    """A reply is one step; more than one start in it is a retry."""
    turn, number = -1, 0
    for message in stored.messages:
        if at(message.body, "role") == "user":
            turn += 1
        if at(message.body, "role") != "assistant":
            continue
        kinds = [at(part.body, "type") for part in message.parts]
        tokens = at(message.body, "tokens")
        first = n_of[MESSAGE, message.id]
        yield StepRow(
            session=session,
            step=number,
            id=message.id,
            turn=turn if turn >= 0 else None,
            first_n=first,
            last_n=first + len(message.parts),
            status=string(at(message.body, "finish")),
            model=string(at(message.body, "modelID")),
            input_tokens=integer(at(tokens, "input")),
            cache_read_tokens=integer(at(tokens, "cache", "read")),
            cache_write_tokens=integer(at(tokens, "cache", "write")),
            output_tokens=integer(at(tokens, "output")),
            starts=kinds.count("step-start"),
            ends=kinds.count("step-finish"),
        )
        number += 1


def compaction_rows(
    session: int, stored: Stored, n_of: Places, live: bool
) -> Iterator[tuple[str, Any]]:
    """A living client may be at work on the last one, so nothing is said to be missing there."""
    for number, found in enumerate(compactions(stored), 1):
        yield "compaction", _row(session, number, found, n_of, live)
        if not (found.good or found.closed or live) and found.summary is not None:
            yield "context_entry", _ahead(session, found, n_of, number)


def context_version(stored: Stored) -> int:
    """The newest compaction that the client cuts the history at."""
    return max((n for n, found in enumerate(compactions(stored), 1) if found.good), default=0)


def _row(session: int, number: int, found: Compaction, n_of: Places, live: bool) -> CompactionRow:
    lost = found.summary is None or (found.good and not found.has_text)
    summary = found.summary if not lost else None
    return CompactionRow(
        session=session,
        number=number,
        n=n_of[PART, found.part.id],
        summary_n=n_of[MESSAGE, summary.id] if summary else None,
        needs_summary=lost and not live,
        version=number if found.good else None,
        trigger="auto" if at(found.part.body, "auto") is True else "manual",
    )


def _ahead(session: int, found: Compaction, n_of: Places, number: int) -> EntryRow:
    assert found.summary is not None
    item = found.summary.item
    return EntryRow(
        session=session,
        version=number,
        pos=number,
        n=n_of[MESSAGE, item.id],
        kind="summary",
        current=False,
        table=MESSAGE,
        key=item.key,
    )
