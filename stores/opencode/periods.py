"""Turns, steps and compactions."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from suture.model.rows import CompactionRow, EntryRow, StateRow
from suture.stores.opencode.compactions import Compaction
from suture.stores.opencode.stored import MESSAGE, PART, Message, Stored
from suture.stores.opencode.values import at, integer, microseconds, string

Places = Mapping[tuple[str, str], int]


TURN = ("turn", "id", "start_n", "end_n", "status", "started", "ended")
STEP = (
    *("step", "id", "turn", "first_n", "last_n", "status", "model", "input_tokens"),
    *("cache_read_tokens", "cache_write_tokens", "output_tokens", "starts", "ends"),
)
Rows = Iterator[tuple[Any, ...]]


def turns(stored: Stored, n_of: Places) -> Rows:
    """From one user message to the next."""
    starts = [i for i, m in enumerate(stored.messages) if at(m.body, "role") == "user"]
    for number, (start, stop) in enumerate(pairwise([*starts, len(stored.messages)])):
        first, last = stored.messages[start], stored.messages[stop - 1]
        end = None if last is first else at(last.body, "time", "completed")
        status = _status(last)
        is_open = status == "open"
        yield (
            *(number, first.id, n_of[MESSAGE, first.id]),
            *(None if is_open else n_of[MESSAGE, last.id] + len(last.parts), status),
            microseconds(at(first.body, "time", "created")),
            None if is_open else microseconds(end),
        )


def _status(last: Message) -> str:
    error = at(last.body, "error", "name")
    if error is not None:
        return "aborted" if error == "MessageAbortedError" else "failed"
    finish = at(last.body, "finish")
    return "complete" if finish is not None and finish != "tool-calls" else "open"


def steps(stored: Stored, n_of: Places) -> Rows:
    """A reply is one step; more than one start in it is a retry."""
    turn, number = None, 0
    for message in stored.messages:
        body = message.body
        role = at(body, "role")
        if role == "user":
            turn = 0 if turn is None else turn + 1
        if role != "assistant":
            continue
        kinds = [part.type for part in message.parts]
        tokens = body.get("tokens")
        cache = at(tokens, "cache")
        first = n_of[MESSAGE, message.id]
        yield (
            *(number, message.id, turn, first, first + len(message.parts)),
            *(string(body.get("finish")), string(body.get("modelID"))),
            *(integer(at(tokens, "input")), integer(at(cache, "read"))),
            *(integer(at(cache, "write")), integer(at(tokens, "output"))),
            *(kinds.count("step-start"), kinds.count("step-finish")),
        )
        number += 1


def compaction_rows(
    session: int, asked: Sequence[Compaction], n_of: Places, live: bool
) -> Iterator[tuple[str, Any]]:
    """A living client may be at work on the last one, so nothing is said to be missing there."""
    for number, found in enumerate(asked, 1):
        yield "compaction", _row(session, number, found, n_of, live)
        if not (found.good or found.closed or live) and found.summary is not None:
            yield "context_entry", _ahead(session, found, n_of, number)
            if found.error is not None:
                n, cuts = n_of[MESSAGE, found.summary.id], "cuts" if found.cuts_all_the_same else ""
                yield "state_kv", StateRow(session, n, "compaction", cuts, found.error)


def context_version(asked: Sequence[Compaction]) -> int:
    """The newest compaction that the client cuts the history at."""
    return max((n for n, found in enumerate(asked, 1) if found.good), default=0)


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
