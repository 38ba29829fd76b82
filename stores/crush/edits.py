"""Operations as rows. Where triggers keep the count and the times, they go on doing so."""

from collections.abc import Sequence
from typing import Any

from suture.model.answer import answer_text, note_text
from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    Note,
    Operation,
    Rebuild,
    SetCounter,
)
from suture.model.unit import Unit
from suture.stores._piece_draft import Draft, Slot
from suture.stores._row_edits import ROWS, all_in_first, by_session, opened, refused
from suture.stores._store import Translated
from suture.stores._tables import dumped
from suture.stores.crush.message import message
from suture.stores.crush.tables import MESSAGES, SESSIONS, Stored, session_ids, stored
from suture.stores.crush.view import COUNT

_COLUMNS = ("parts", "created_at")  # of the pieces, of the time
_CHAIN = "messages have no parent"
_SECONDS = "whole seconds are the order of messages"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": "yes",
    "DropPart": "yes",
    "ResultsFirst": "results lie in messages of their own",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
    "Reparent": _CHAIN,
    "Rekey": _CHAIN,
    "RekeyCall": "which of two equal calls a result answers is not known",
    "Renumber": "messages have no number",
    "Blank": ROWS,
    "Move": _SECONDS,
    "SetState": "a reply is left as it was stored",
    "SetCounter": "yes",
    "NewWindow": "the tables hold no window beside the messages",
    "Rebuild": "yes",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All in one: the first operation carries the edits of a session that it shares."""
    made: list[RowEdit] = []
    cache = "envelope"
    with opened(unit, files) as database:
        for name, own in by_session(operations, unit, database, session_ids):
            kept = stored(database, name)
            draft = Draft.start(unit.paths[0], MESSAGES, _COLUMNS, message, kept.messages)
            for operation in draft.take_out(own):
                _apply(operation, draft, kept)
            made += [*_head(own, draft, kept), *draft.edits()]
            cache = draft.cache_class
    return all_in_first(made, cache, operations)


def _apply(operation: Operation, draft: Draft, kept: Stored) -> None:
    match operation:
        case Answer(n=n):
            _answer(operation, draft, kept, draft.known[n])
        case Note():
            _note(operation, draft, kept)
        case SetCounter(name=name) if name == COUNT:
            pass  # each repair leaves the count right
        case Rebuild(what="header"):
            pass  # it is made with its count
        case _:
            raise refused(operation, SUPPORTS)


def _answer(operation: Answer, draft: Draft, kept: Stored, call: Slot) -> None:
    piece = call.message.pieces[operation.part]
    data = {
        "tool_call_id": operation.call_id,
        "name": piece.name or "",
        "content": answer_text(piece.name, operation.outcome, draft.last_time, operation.words),
        "is_error": True,
    }
    part = {"type": "tool_result", "data": data}
    after = draft.end_of_batch(call)
    draft.insert(after, _row(draft, kept, after, "tool", part, operation.call_id))


def _note(operation: Note, draft: Draft, kept: Stored) -> None:
    if not draft.slots:
        raise Unsupported("nothing is left of the session that a note could follow")
    text = note_text(operation.tools, draft.last_time)
    part = {"type": "text", "data": {"text": text}}
    after = draft.slots[-1]
    draft.insert(after, _row(draft, kept, after, "user", part, "note"))


def _row(
    draft: Draft, kept: Stored, after: Slot, role: str, part: dict[str, Any], what: str
) -> dict[str, Value]:
    assert after.row is not None
    time = after.row["created_at"]
    samples = (one.row["parts"] for one in kept.messages if one.pieces)
    known: dict[str, Value] = {
        "id": draft.fresh_id(kept.id, after.row["id"], what),
        "session_id": kept.id,
        "role": role,
        "parts": dumped([part], next(samples, '{"":""}')),
        "model": None,
        "provider": None,
        "is_summary_message": 0,
        "created_at": time,
        "updated_at": time,
        "finished_at": None,
    }
    return {name: value for name, value in known.items() if name in kept.columns}


def _head(operations: Sequence[Operation], draft: Draft, kept: Stored) -> list[RowEdit]:
    """The session's row first: triggers count on from there, and without them it is a guard.

    Where triggers count and the count is right the row is theirs alone, for a second edit of it
    in one plan would set the count before they count again.
    """
    start = len(draft.slots)
    if "insert" in kept.counts:
        start -= draft.added
    if "delete" in kept.counts:
        start += draft.removed
    key: dict[str, Value] = {"id": kept.id}
    if kept.head is None:
        if not any(isinstance(operation, Rebuild) for operation in operations):
            return []
        return [RowEdit(draft.path, SESSIONS, key, None, _new_head(kept, start))]
    if kept.counts and kept.head[COUNT] == start:
        return []
    return [RowEdit(draft.path, SESSIONS, key, kept.head, {**kept.head, COUNT: start})]


def _new_head(kept: Stored, count: int) -> dict[str, Value]:
    times = [one.row["created_at"] for one in kept.messages]
    if not times:
        raise Unsupported("there is nothing to make the session's row from")
    known: dict[str, Value] = {
        "id": kept.id,
        "title": "",
        COUNT: count,
        "created_at": times[0],
        "updated_at": times[-1],
    }
    return {name: value for name, value in known.items() if name in kept.head_columns}
