"""A context window listed anew: the log keeps every event, the model is shown other ones."""

import json
from collections.abc import Sequence
from typing import Any

from suture.model.errors import Unsupported
from suture.model.operation import Answer, DropPart, NewWindow, Operation
from suture.stores.eventlog.log import Log
from suture.stores.eventlog.view import Record, Session
from suture.stores.eventlog.windows import talk_after


def mark(operation: str, **more: str) -> dict[str, str]:
    return {"operation": operation, **more}


def of_window(session: Session, operation: Operation) -> bool:
    """An answer that the log holds already is absent from the window only."""
    if isinstance(operation, Answer):
        call = session.calls.by_id.get(operation.call_id)
        return call is not None and call.finished is not None
    return isinstance(operation, DropPart | NewWindow)


def compacted(
    log: Log, session: Session, operations: Sequence[Operation], note: str | None
) -> dict[str, Any]:
    """The payload of the event. A note stands, as a summary, for the calls that are left out."""
    hidden = [_ordinal(session.records[op.n]) for op in operations if isinstance(op, DropPart)]
    version, stored, n = _current(log, session)
    if n < 0 and not hidden:
        raise Unsupported("the session was never compacted")
    talk = [r.ordinal for r in talk_after(session, n) if r.ordinal is not None]
    listed = [*stored, {"kind": "original", "original_ordinals": talk}]
    entries = _each_once(_with_answers(session, listed, operations), hidden)
    if note is not None:
        ordinals = sorted(set(hidden))
        entries.append({"kind": "summary", "original_ordinals": ordinals, "content": note})
    suture = mark("drop_part" if hidden else "new_window")
    return {"version": version + 1, "entries": entries, "suture": suture}


def _current(log: Log, session: Session) -> tuple[int, list[dict[str, Any]], int]:
    if session.newest is None:
        return 0, [], -1
    n = session.newest[0]
    try:
        payload = json.loads(log.stored(session.records[n]))["payload"]
        return payload["version"], [dict(entry) for entry in payload["entries"]], n
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unsupported("the compaction cannot be read") from error


def _ordinal(record: Record) -> int:
    if record.kind not in ("call", "result"):
        raise Unsupported("an event is hashed as a whole; no part of it can go")
    if record.ordinal is None:
        raise Unsupported("an event without ordinal cannot be named in a window")
    return record.ordinal


def _with_answers(
    session: Session, entries: list[dict[str, Any]], operations: Sequence[Operation]
) -> list[dict[str, Any]]:
    """The stored result of a call right after it."""
    after: dict[int, int] = {}
    for operation in operations:
        if isinstance(operation, Answer):
            call = session.calls.by_id[operation.call_id]
            assert call.finished is not None
            after[_ordinal(session.records[call.n])] = _ordinal(session.records[call.finished])
    return [
        {**entry, "original_ordinals": _joined(entry["original_ordinals"], after)}
        if entry["kind"] == "original"
        else entry
        for entry in entries
    ]


def _joined(ordinals: list[int], after: dict[int, int]) -> list[int]:
    found = []
    for ordinal in ordinals:
        found.append(ordinal)
        if ordinal in after:
            found.append(after[ordinal])
    return found


def _each_once(entries: list[dict[str, Any]], hidden: list[int]) -> list[dict[str, Any]]:
    """No original twice: the earlier entry keeps it; an entry that is left with none goes."""
    seen = set(hidden)
    kept = []
    for entry in entries:
        left = [o for o in dict.fromkeys(entry["original_ordinals"]) if o not in seen]
        seen.update(left)
        if left:
            kept.append({**entry, "original_ordinals": left})
    return kept
