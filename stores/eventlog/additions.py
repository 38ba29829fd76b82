"""Operations that add an event to the end of a session."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from suture.model.answer import answer_text, note_text, restored_text
from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    DropPart,
    NewWindow,
    Note,
    Outcome,
    Restore,
    SetState,
)
from suture.stores.eventlog.clock import a_moment_later
from suture.stores.eventlog.lines import decode
from suture.stores.eventlog.log import Log, tail_of
from suture.stores.eventlog.payloads import ArtifactStored
from suture.stores.eventlog.view import Record, Session
from suture.stores.eventlog.windows import relisted
from suture.stores.eventlog.writer import NewEvent, append_lines

Addition = Answer | Restore | DropPart | Note | SetState | NewWindow
_STATUS = {Outcome.UNKNOWN: "unknown", Outcome.NEVER_STARTED: "not_run"}
_ENDS = ("complete", "aborted", "failed")


def lines(log: Log, session: Session, additions: Sequence[Addition], gone: set[int]) -> bytes:
    """Answers first, the end of the turn last: so each event finds what it speaks of open."""
    tail, time = tail_of(session, gone)
    events = []
    for kind, payload in _events(log, session, sorted(additions, key=_rank)):
        events.append(NewEvent(kind, payload, time))
        time = a_moment_later(time)
    return append_lines(events, tail)


def _events(
    log: Log, session: Session, additions: Sequence[Addition]
) -> Iterator[tuple[str, dict[str, Any]]]:
    left_out = [op.n for op in additions if isinstance(op, DropPart)]
    anew = left_out or any(isinstance(op, NewWindow) for op in additions)
    note = next((op for op in additions if isinstance(op, Note)), None)
    if anew:
        yield "context.compacted", _window(log, session, left_out, note)
    for operation in additions:
        if isinstance(operation, DropPart | NewWindow) or (left_out and operation is note):
            continue
        yield _event(log, session, operation)


def _rank(operation: Addition) -> int:
    match operation:
        case Answer() | Restore():
            return 0
        case Note():
            return 1
        case SetState(entity=entity) if entity.startswith("turn "):
            return 4
        case SetState():
            return 3
        case _:
            return 2


def _event(
    log: Log, session: Session, operation: Answer | Restore | Note | SetState
) -> tuple[str, dict[str, Any]]:
    match operation:
        case Answer():
            return "tool.finished", _answer(session, operation)
        case Restore():
            return "tool.finished", _restored(log, session, operation)
        case Note():
            return "message.appended", _note(session, operation)
        case SetState(entity=entity, value=value):
            what, _, name = entity.partition(" ")
            if what == "turn" and value in _ENDS:
                return "turn.ended", {
                    "turn_id": name,
                    "status": value,
                    "suture": _mark("set_state"),
                }
            if what == "interruption" and name.isdigit():
                return "session.interrupted", _interruption(session, int(name), value)
            raise Unsupported(f"no event says that {entity} is {value}")


def _mark(operation: str, **more: str) -> dict[str, str]:
    return {"operation": operation, **more}


def _answer(session: Session, operation: Answer) -> dict[str, Any]:
    call = session.calls.by_id.get(operation.call_id)
    outcome = operation.outcome if operation.outcome in _STATUS else Outcome.UNKNOWN
    return {
        "call_id": operation.call_id,
        "status": _STATUS[outcome],
        "result": answer_text(call.name if call else None, outcome, _last_time(session)),
        "suture": _mark("answer", outcome=outcome.value),
    }


def _restored(log: Log, session: Session, operation: Restore) -> dict[str, Any]:
    number = operation.evidence.removeprefix("record ")
    if not number.isdigit() or int(number) >= len(session.records):
        raise Unsupported(f"{operation.evidence} is no record of this session")
    record = session.records[int(number)]
    artifact = _artifact(log, record)
    name = f"{operation.evidence} (artifact.stored, ordinal {record.ordinal})"
    shown = f"{artifact.uri}, {artifact.bytes} bytes"
    text = f"{shown}\n{artifact.summary}" if artifact.summary else shown
    return {
        "call_id": operation.call_id,
        "status": "restored",
        "result": restored_text(name, text),
        "artifact": artifact.uri,
        "suture": _mark("restore", evidence=operation.evidence),
    }


def _artifact(log: Log, record: Record) -> ArtifactStored:
    try:
        payload = decode(log.stored(record)).payload
    except msgspec.MsgspecError as error:
        raise Unsupported("the record that proves the outcome cannot be read") from error
    if not isinstance(payload, ArtifactStored):
        raise Unsupported("the record that proves the outcome is no artifact")
    return payload


def _note(session: Session, operation: Note) -> dict[str, Any]:
    return {
        "message_id": f"suture-note-{operation.n + 1}",
        "role": "user",
        "content": note_text(operation.tools, _last_time(session)),
        "status": "complete",
        "suture": _mark("note"),
    }


def _interruption(session: Session, generation: int, value: str) -> dict[str, Any]:
    return {
        "generation": generation,
        "historical": value == "historical",
        "turn_id": session.periods.turn_id,
        "suture": _mark("set_state"),
    }


def _window(
    log: Log, session: Session, left_out: Sequence[int], note: Note | None
) -> dict[str, Any]:
    """The log keeps the calls; the window of the next version leaves them out and says so."""
    if not session.compactions and not left_out:
        raise Unsupported("the session was never compacted")
    version, stored, n = 0, [], -1
    if session.compactions:
        n = session.compactions[-1][0]
        payload = json.loads(log.stored(session.records[n]))["payload"]
        version, stored = payload["version"], payload["entries"]
    hidden = _ordinals(session, left_out)
    entries = relisted(session, stored, n, hidden)
    if hidden:
        text = note_text(note.tools if note else (), _last_time(session))
        entries.append({"kind": "summary", "original_ordinals": hidden, "content": text})
    mark = _mark("drop_part" if hidden else "new_window")
    return {"version": version + 1, "entries": entries, "suture": mark}


def _ordinals(session: Session, numbers: Sequence[int]) -> list[int]:
    records = [session.records[n] for n in sorted(set(numbers))]
    if any(record.kind != "call" for record in records):
        raise Unsupported("an event is hashed as a whole; no part of it can go")
    return [record.ordinal for record in records if record.ordinal is not None]


def _last_time(session: Session) -> str | None:
    return next((record.ts for record in reversed(session.records) if record.ts), None)
