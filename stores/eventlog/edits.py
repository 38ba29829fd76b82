"""Operations as bytes of the log: it grows at its end, and no hashed record is changed."""

import json
from collections.abc import Sequence

from suture.model.edit import Copy, SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    Cut,
    Drop,
    DropPart,
    NewWindow,
    Note,
    Operation,
    Quarantine,
    Rebuild,
    Renumber,
    Replace,
    Restore,
    SetState,
    Truncate,
)
from suture.model.place import Span
from suture.model.unit import Unit
from suture.stores._byte_edits import byte_edits
from suture.stores._store import Translated
from suture.stores.eventlog.additions import Addition, lines
from suture.stores.eventlog.hashing import NoCanonicalForm, payload_hash
from suture.stores.eventlog.lines import from_object
from suture.stores.eventlog.log import CHAIN, Log, removable
from suture.stores.eventlog.ordinals import renumbered
from suture.stores.eventlog.rewindow import mark, of_window
from suture.stores.eventlog.view import Session
from suture.stores.eventlog.writer import NewEvent, Tail, append_lines

_HASHED = "the record's hash covers these bytes"
_ADDS = Answer | Restore | DropPart | Note | SetState | NewWindow
_REMOVES = Drop | Truncate
SUPPORTS = {
    "Answer": "yes",
    "Restore": "yes",
    "Drop": "yes",
    "DropPart": "yes",
    "ResultsFirst": "the content of an event is hashed",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": "yes",
    "Split": "yes",
    "Replace": "yes",
    "Reparent": "events have no parent",
    "Rekey": CHAIN,
    "RekeyCall": "the id of a call stands in hashed payloads",
    "Renumber": "yes",
    "Blank": CHAIN,
    "Move": "ordinals fix the order of events",
    "SetState": "yes",
    "SetCounter": "the log stores no counter; the next ordinal is the highest plus one",
    "NewWindow": "yes",
    "Rebuild": "yes",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """Lines that are added to one session come with the first operation that adds one."""
    log = Log(unit, files)
    operations = [_meant(log, operation) for operation in operations]
    gone = _gone(log, operations)
    for key, numbers in gone.items():
        removable(log.session(key), numbers)
    added: dict[int, list[Addition]] = {}
    for operation in operations:
        if isinstance(operation, _ADDS):
            added.setdefault(operation.session, []).append(operation)
    made = []
    removed: set[tuple[int, int]] = set()  # two calls of one batch may share records that go
    for operation in operations:
        if isinstance(operation, _ADDS):
            group = added.pop(operation.session, [])
            made.append(_appended(log, operation.session, group, gone))
        elif isinstance(operation, _REMOVES):
            leaving = {(operation.session, n) for n in _leaving(log, operation)} - removed
            removed |= leaving
            made.append(_removed(log, log.session(operation.session), {n for _, n in leaving}))
        else:
            made.append(_other(log, operation))
    return made


def _meant(log: Log, operation: Operation) -> Operation:
    """A result that ends no call, or ends one again, is a line of its own and goes as a whole."""
    if isinstance(operation, DropPart):
        session = log.session(operation.session)
        record = session.records[operation.n]
        call = session.calls.by_id.get(record.call_id or "")
        if record.type == "tool.finished" and (call is None or call.finished != record.n):
            return Drop(operation.session, operation.n)
    return operation


def _gone(log: Log, operations: Sequence[Operation]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for operation in operations:
        if isinstance(operation, _REMOVES):
            found.setdefault(operation.session, set()).update(_leaving(log, operation))
    return found


def _leaving(log: Log, operation: Drop | Truncate) -> set[int]:
    session = log.session(operation.session)
    match operation:
        case Drop(n=n):
            return {n}
        case Truncate(n=n):
            return set(range(n + 1, len(session.records)))


def _appended(
    log: Log, key: int, group: Sequence[Addition], gone: dict[int, set[int]]
) -> Translated:
    if not group:
        return Translated((), "append")
    session = log.session(key)
    at = log.end(session)
    try:
        text = lines(log, session, group, gone.get(key, set()))
    except NoCanonicalForm as error:
        raise Unsupported(f"the event to add has no canonical form: {error}") from error
    if at and log.data[at - 1] != 0x0A:
        text = b"\n" + text
    anew = any(of_window(session, operation) for operation in group)
    edit = SpanEdit(log.path, at, 0, (text,))
    return Translated((edit,), "payload" if anew else "append")


def _removed(log: Log, session: Session, numbers: set[int]) -> Translated:
    """Whole lines; lines that follow one another go as one edit."""
    found: list[SpanEdit] = []
    for n in sorted(numbers):
        record = session.records[n]
        start, stop = record.offset, log.line_end(record.offset + record.length)
        if found and found[-1].offset + found[-1].length == start:
            start = found.pop().offset
        found.append(SpanEdit(log.path, start, stop - start, ()))
    return Translated(tuple(found), "cut")


def _other(log: Log, operation: Operation) -> Translated:
    if isinstance(operation, Renumber):
        session = log.session(operation.session)
        return Translated(renumbered(log, session, operation.n, operation.first), "envelope")
    if isinstance(operation, Rebuild) and operation.what == "header":
        return Translated((_header(log, log.session(operation.session)),), "envelope")
    if isinstance(operation, Quarantine) and isinstance(operation.place, Span):
        found = log.record_at(operation.place)
        if found is not None:
            removable(found[0], {found[1].n})
    translated = byte_edits(log.path, log.data, operation)
    if translated is None:
        reason = SUPPORTS[type(operation).__name__]
        raise Unsupported(reason if reason != "yes" else "the place is not in this log")
    if isinstance(operation, Cut | Replace | Quarantine):
        for edit in translated.edits:
            _keeps_hash(log, edit)
    return translated


def _header(log: Log, session: Session) -> SpanEdit:
    """A first line for a log that lost it. It says what the file does, and nobody's name."""
    first = session.records[0]
    if session.header is not None or first.ordinal in (0, None):
        raise Unsupported("there is no place for a header before the first event")
    if first.ts is None:
        raise Unsupported("the first event has no time that a header could take")
    payload = {
        "session_id": session.id,
        "principal": None,
        "created_at": first.ts,
        "lineage": None,
        "suture": mark("rebuild"),
    }
    line = append_lines(
        [NewEvent("session.created", payload, first.ts)], Tail(session.id, chained=False)
    )
    return SpanEdit(log.path, first.offset, 0, (line,))


def _keeps_hash(log: Log, edit: object) -> None:
    """A line that is a record stays one with the payload that its hash was made from."""
    assert isinstance(edit, SpanEdit)
    start, stop = log.line_of(edit.offset)
    end = edit.offset + edit.length
    if end > stop:
        return  # whole lines
    old = bytes(log.data[start:stop])
    if not _hash(old):
        return
    put = b"".join(part for part in edit.after if not isinstance(part, Copy))
    new = bytes(log.data[start : edit.offset]) + put + bytes(log.data[end:stop])
    if not new or _verified(new):
        return
    raise Unsupported(_HASHED)


def _hash(line: bytes) -> str | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return from_object(value, line).hash if isinstance(value, dict) else None


def _verified(line: bytes) -> bool:
    try:
        value = json.loads(line)
        event = from_object(value, line) if isinstance(value, dict) else None
        return event is not None and event.raw is not None and payload_hash(event.raw) == event.hash
    except (ValueError, RecursionError):
        return False
