"""Operations that add an event to the end of a session."""

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
from suture.stores.eventlog.rewindow import compacted, mark, of_window
from suture.stores.eventlog.view import Record, Session
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
    window = [op for op in additions if of_window(session, op)]
    note = next((op for op in additions if isinstance(op, Note)), None)
    noted = note is not None and any(isinstance(op, DropPart) for op in window)
    if window:
        text = note_text(note.tools, _last_time(session)) if noted and note else None
        yield "context.compacted", compacted(log, session, window, text)
    for operation in additions:
        if operation not in window and not (noted and operation is note):
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


def _event(log: Log, session: Session, operation: Addition) -> tuple[str, dict[str, Any]]:
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
                    "suture": mark("set_state"),
                }
            number, _, turn = name.partition(" ")
            if what == "interruption" and number.isdigit():
                return "session.interrupted", _interruption(int(number), turn, value)
            raise Unsupported(f"no event says that {entity} is {value}")
        case _:
            raise AssertionError(operation)


def _answer(session: Session, operation: Answer) -> dict[str, Any]:
    call = session.calls.by_id.get(operation.call_id)
    outcome = operation.outcome if operation.outcome in _STATUS else Outcome.UNKNOWN
    return {
        "call_id": operation.call_id,
        "status": _STATUS[outcome],
        "result": answer_text(
            call.name if call else None, outcome, _last_time(session), operation.words
        ),
        "suture": mark("answer", outcome=outcome.value),
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
        "suture": mark("restore", evidence=operation.evidence),
    }


def _artifact(log: Log, record: Record) -> ArtifactStored:
    try:
        payload = decode(log.stored(record)).payload
    except (msgspec.MsgspecError, RecursionError) as error:
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
        "suture": mark("note"),
    }


def _interruption(generation: int, turn: str, value: str) -> dict[str, Any]:
    return {
        "generation": generation,
        "historical": value == "historical",
        "turn_id": turn or None,
        "suture": mark("set_state"),
    }


def _last_time(session: Session) -> str | None:
    return next((record.ts for record in reversed(session.records) if record.ts), None)
