"""Operations as rows: messages are sent in the order of their rows, so order is kept by them."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import Any

from suture.model.answer import answer_text, note_text
from suture.model.edit import Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    Drop,
    DropPart,
    Move,
    Note,
    Operation,
    Quarantine,
    Rebuild,
    RekeyCall,
    Truncate,
)
from suture.model.place import Row
from suture.model.unit import Unit
from suture.stores._row_edits import ROWS, all_in_first, opened, refused
from suture.stores._store import Translated
from suture.stores._tables import in_order, next_id
from suture.stores.openai_agents.draft import Draft, Slot
from suture.stores.openai_agents.items import OUTPUTS
from suture.stores.openai_agents.sessions import sessions
from suture.stores.openai_agents.structure import Structure
from suture.stores.openai_agents.tables import STRUCTURE, Stored

_CHAIN = "items have no parent"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": "yes",
    "DropPart": "yes",
    "ResultsFirst": "an item holds one call or result",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
    "Reparent": _CHAIN,
    "Rekey": _CHAIN,
    "RekeyCall": "yes",
    "Renumber": "rows are numbered by the database",
    "Blank": ROWS,
    "Move": "yes",
    "SetState": "the tables hold no state of a session",
    "SetCounter": "the tables hold no counter",
    "NewWindow": "the tables hold no window beside the messages",
    "Rebuild": "yes",
}
_ANSWERED = ("function_call", "custom_tool_call")


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All in one: the first operation carries the edits of a session that it shares."""
    with opened(unit, files) as database:
        drafts = _drafts(database, unit)
        for operation in sorted(operations, key=in_order):
            _apply(operation, drafts[_session_of(operation, drafts)])
    made = [edit for draft in drafts for edit in draft.edits()]
    return all_in_first(made, _cache_class(drafts), operations)


def _drafts(database: sqlite3.Connection, unit: Unit) -> list[Draft]:
    found = list(sessions(database, unit.session))
    fresh: dict[str, Iterator[int]] = {}

    def ids(table: str) -> Iterator[int]:
        if table not in fresh:
            fresh[table] = count(next_id(database, table))
        return fresh[table]

    def draft(kept: Stored) -> Draft:
        advanced = kept.tables.variant == "advanced"
        structure = Structure(kept, ids(STRUCTURE)) if advanced else None
        return Draft.start(unit.paths[0], kept, ids(kept.tables.messages), structure)

    return [draft(kept) for kept in found]


def _session_of(operation: Operation, drafts: Sequence[Draft]) -> int:
    if not isinstance(operation, Quarantine):
        return getattr(operation, "session", 0) & 0xFFFFFFFF
    place = operation.place
    for at, draft in enumerate(drafts):
        if isinstance(place, Row) and (
            _slot_of(draft, place) is not None
            or (draft.structure is not None and place.table == STRUCTURE)
        ):
            return at
    raise Unsupported("there is no such row any more")


def _slot_of(draft: Draft, place: Row) -> Slot | None:
    if place.table != draft.stored.tables.messages:
        return None
    wanted = json.loads(place.key).get("id")
    return next((s for s in draft.known if s.was is not None and s.was["id"] == wanted), None)


def _cache_class(drafts: Sequence[Draft]) -> str:
    """What a provider's cache keeps: all, if the messages that were there still come first."""
    for draft in drafts:
        kept = [s for s in draft.slots if s.lane == "main"]
        old = [s for s in draft.known if s.lane == "main"]
        same = kept[: len(old)] == old and all(s.row == s.was for s in old)
        if not same:
            return "cut" if all(s in old for s in kept) else "payload"
    added = any(slot.was is None for draft in drafts for slot in draft.slots)
    return "append" if added else "envelope"


def _apply(operation: Operation, draft: Draft) -> None:
    match operation:
        case Answer(n=n):
            _answer(operation, draft, draft.known[n])
        case Drop(n=n):
            draft.remove(draft.known[n])
        case DropPart(n=n, part=part):
            _drop_part(draft, draft.known[n], part)
        case Note(n=n):
            _note(operation, draft, n)
        case Truncate(n=n):
            _truncate(draft, n)
        case Quarantine(place=Row(table=table, key=key)) if table == STRUCTURE:
            assert draft.structure is not None
            draft.structure.remove(json.loads(key).get("id"))
        case Quarantine(place=Row() as place):
            slot = _slot_of(draft, place)
            assert slot is not None
            draft.remove(slot)
        case RekeyCall():
            _rekey(operation, draft)
        case Move(n=n, after=after):
            draft.move(draft.known[n], draft.end_of_batch(draft.known[after]))
        case Rebuild(what="header"):
            _new_head(draft)
        case Rebuild(what=what) if what.startswith(f"{STRUCTURE} "):
            _list(draft, what.removeprefix(f"{STRUCTURE} "))
        case _:
            raise refused(operation, SUPPORTS)


def _answer(operation: Answer, draft: Draft, call: Slot) -> None:
    if any(
        s.item.kind == "result" and s.item.call_id == operation.call_id and s.lane == call.lane
        for s in draft.slots
        if s.was is None
    ):
        return
    if call.item.type not in _ANSWERED:
        raise Unsupported(
            f"an output of a {call.item.type} says more than is known; --policy drop takes it out"
        )
    text = answer_text(call.item.name, operation.outcome, draft.last_time, operation.words)
    value: dict[str, Any] = {
        "call_id": operation.call_id,
        "output": text,
        "type": OUTPUTS[call.item.type],
    }
    if "caller" in call.item.value:
        value["caller"] = call.item.value["caller"]
    draft.insert(draft.end_of_batch(call), value)


def _drop_part(draft: Draft, slot: Slot, part: int) -> None:
    said = slot.item.value.get("content")
    blocks = [b for b in said if isinstance(b, dict)] if isinstance(said, list) else []
    if not slot.item.type.startswith("message/") or len(blocks) <= 1:
        draft.remove(slot)
        return
    assert isinstance(said, list)
    left = [block for block in said if block is not blocks[part]]
    draft.rewrite(slot, {**slot.item.value, "content": left})


def _note(operation: Note, draft: Draft, n: int) -> None:
    draft.drop_lone_reasoning()  # the note stands behind what is left
    value = {"role": "user", "content": note_text(operation.tools, draft.last_time)}
    before = [slot for slot in draft.known[: n + 1] if slot.row is not None]
    later = [slot for slot in draft.slots if slot.lane == "main"]
    home = before[-1] if before else None
    if home is None or (later and home is not later[-1]):
        home = later[-1] if later else home
    if home is None:
        raise Unsupported("nothing is left of the session that a note could follow")
    draft.insert(home, value)


def _truncate(draft: Draft, n: int) -> None:
    if len({slot.lane for slot in draft.known}) > 1:
        raise Unsupported("the session has branches, and they share rows")
    for slot in draft.known[n + 1 :]:
        draft.remove(slot)


def _rekey(operation: RekeyCall, draft: Draft) -> None:
    places = [(operation.n, operation.part)]
    if operation.result_n is not None:
        places.append((operation.result_n, 0))
    text = f"{operation.call_id}\n{operation.n}"
    fresh = f"call_{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
    for n, _ in places:
        slot = draft.known[n]
        if "call_id" not in slot.item.value:
            raise Unsupported("the id of the call is the id of its item")
        draft.rewrite(slot, {**slot.item.value, "call_id": fresh})


def _list(draft: Draft, name: str) -> None:
    for slot in draft.slots:
        if draft.structure is not None and slot.row is not None and str(slot.row["id"]) == name:
            draft.structure.list_in_main(slot.item)
            return
    raise Unsupported("there is no such message any more")


def _new_head(draft: Draft) -> None:
    times: list[Value] = [row["created_at"] for row in draft.stored.messages]
    if draft.stored.head is not None or not times:
        raise Unsupported("there is nothing to make the session's row from")
    draft.new_head = {
        "session_id": draft.stored.id,
        "created_at": times[0],
        "updated_at": times[-1],
    }
