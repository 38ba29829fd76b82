"""Operations as rows: answers ride in messages of the user, as the client writes them."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from suture.model.answer import answer_text, note_text
from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    Note,
    Operation,
)
from suture.model.unit import Unit
from suture.stores._piece_draft import Draft, Slot
from suture.stores._pieces import mapping
from suture.stores._row_edits import ROWS, all_in_first, by_session, opened, refused
from suture.stores._store import Translated
from suture.stores._tables import dumped, next_id
from suture.stores.goose.message import message
from suture.stores.goose.tables import MESSAGES, SESSIONS, Stored, session_ids, stored

_COLUMNS = ("content_json", "created_timestamp")  # of the pieces, of the time
_CHAIN = "messages have no parent"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": "yes",
    "DropPart": "yes",
    "ResultsFirst": "responses lie in messages of their own",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
    "Reparent": _CHAIN,
    "Rekey": _CHAIN,
    "RekeyCall": "which of two equal requests a response answers is not known",
    "Renumber": "rows are numbered by the database",
    "Blank": ROWS,
    "Move": "times are the order of messages, and they are what was",
    "SetState": "the tables hold no state of a session",
    "SetCounter": "the tables hold no count of messages",
    "NewWindow": "the tables hold no window beside the messages",
    "Rebuild": "the folder in which a session works is stored in its row alone",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All in one: the first operation carries the edits of a session that it shares."""
    made: list[RowEdit] = []
    cache = "envelope"
    with opened(unit, files) as database:
        fresh = count(next_id(database, MESSAGES))
        for name, own in by_session(operations, unit, database, session_ids):
            kept = stored(database, name)
            draft = Draft.start(unit.paths[0], MESSAGES, _COLUMNS, message, kept.messages)
            for operation in draft.take_out(own):
                _apply(operation, draft, kept)
            made += _made(draft, kept, fresh)
            cache = draft.cache_class
    return all_in_first(made, cache, operations)


def _made(draft: Draft, kept: Stored, fresh: Iterator[int]) -> list[RowEdit]:
    """Guarded by the row of the session, which the client changes with each message."""
    for slot in draft.slots:
        if slot.was is None and slot.row is not None:
            slot.row["id"] = next(fresh)
    rows = draft.edits()
    if kept.head is None or not rows:
        return rows
    return [RowEdit(draft.path, SESSIONS, {"id": kept.id}, kept.head, kept.head), *rows]


def _apply(operation: Operation, draft: Draft, kept: Stored) -> None:
    match operation:
        case Answer(n=n):
            _answer(operation, draft, kept, draft.known[n])
        case Note():
            _note(operation, draft, kept)
        case _:
            raise refused(operation, SUPPORTS)


def _answer(operation: Answer, draft: Draft, kept: Stored, call: Slot) -> None:
    piece = call.message.pieces[operation.part]
    content = [
        {
            "type": "text",
            "text": answer_text(piece.name, operation.outcome, draft.last_time, operation.words),
        }
    ]
    value: Any = content if _bare(kept) else {"content": content, "isError": True}
    item = {
        "type": "toolResponse",
        "id": operation.call_id,
        "toolResult": {"status": "success", "value": value},
    }
    after = draft.end_of_batch(call)
    draft.insert(after, _row(draft, kept, after, item, operation.call_id))


def _bare(kept: Stored) -> bool:
    """Older releases store the content of a result as a bare array."""
    results = [p.raw for one in kept.messages for p in one.pieces if p.kind == "result"]
    values = [mapping(raw.get("toolResult")).get("value") for raw in results]
    return next((isinstance(v, list) for v in reversed(values) if v is not None), False)


def _note(operation: Note, draft: Draft, kept: Stored) -> None:
    seen = [slot for slot in draft.slots if slot.message.lane == "main"]
    if not seen:
        raise Unsupported("nothing is left of the session that a note could follow")
    item = {"type": "text", "text": note_text(operation.tools, draft.last_time)}
    draft.insert(seen[-1], _row(draft, kept, seen[-1], item, "note"))


def _row(
    draft: Draft, kept: Stored, after: Slot, item: dict[str, Any], what: str
) -> dict[str, Value]:
    assert after.row is not None
    samples = (one.row["content_json"] for one in kept.messages if one.pieces)
    known: dict[str, Value] = {
        "id": None,  # numbered when all rows are there
        "message_id": f"msg_{draft.fresh_id(kept.id, after.row['id'], what)}",
        "session_id": kept.id,
        "role": "user",
        "content_json": dumped([item], next(samples, '{"":""}')),
        "created_timestamp": after.row["created_timestamp"],
        "timestamp": after.row.get("timestamp"),
        "tokens": None,
        "metadata_json": after.row.get("metadata_json"),
    }
    return {name: value for name, value in known.items() if name in kept.columns}
