"""Operations as rows: an event finds its place by its time, and ids are random."""

import json
import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from suture.model.answer import answer_text, note_text
from suture.model.edit import RowEdit, Value
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
    SetCounter,
    SetState,
    Truncate,
)
from suture.model.place import Row
from suture.model.unit import Unit
from suture.stores._row_edits import ROWS, all_in_first, opened, refused
from suture.stores._store import Translated
from suture.stores._tables import column_names, in_order
from suture.stores.google_adk.clock import for_variant, micros
from suture.stores.google_adk.draft import Draft, Slot, new_head
from suture.stores.google_adk.event import call_of, response_of
from suture.stores.google_adk.sessions import sessions
from suture.stores.google_adk.tables import (
    EVENTS,
    SESSIONS,
    V0,
    missing_states,
    state_key,
    stated_version,
    variant,
)
from suture.stores.google_adk.update import UPDATE_TIME, last_moment

_CHAIN = "events have no parent"
_PICKLES = "the tables of v0 hold pickles, which are neither loaded nor written"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": "yes",
    "DropPart": "yes",
    "ResultsFirst": "a part of a content stands where its model put it",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
    "Reparent": _CHAIN,
    "Rekey": "the id of an event is part of its key",
    "RekeyCall": "yes",
    "Renumber": "events have no numbers",
    "Blank": ROWS,
    "Move": "yes",
    "SetState": "yes",
    "SetCounter": "yes",
    "NewWindow": "the tables hold no window beside the events",
    "Rebuild": "yes",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All in one: the first operation carries the edits of a session that it shares."""
    with opened(unit, files) as database:
        made, cache = _made(database, unit, operations)
    return all_in_first(made, cache, operations)


def _made(
    database: sqlite3.Connection, unit: Unit, operations: Sequence[Operation]
) -> tuple[tuple[RowEdit, ...], str]:
    if variant(database) == V0:
        raise Unsupported(_PICKLES)
    if (stated := stated_version(database)) not in (None, "1"):
        raise Unsupported(f"the tables are of version {stated:.20}, which suture does not know")
    path = unit.paths[0]
    if unit.session is None:
        return tuple(_state_row(database, path, operation) for operation in operations), "envelope"
    (kept,) = sessions(database, unit.session)
    draft = Draft.start(path, kept)
    for operation in sorted(operations, key=in_order):
        _apply(operation, draft, column_names(database, SESSIONS))
    return draft.edits(), _cache_class(draft)


def _state_row(database: sqlite3.Connection, path: str, operation: Operation) -> RowEdit:
    """An empty row of the application or the user, as `create_session` makes it."""
    wanted = operation.what if isinstance(operation, Rebuild) else None
    for table, key in missing_states(database):
        if state_key(table, key) == wanted:
            terms = " and ".join(f"{name} is ?" for name in key)
            sql = (
                f"select coalesce((select min(create_time) from {SESSIONS} where {terms}), "
                f"(select min(timestamp) from {EVENTS} where {terms}))"
            )
            (time,) = database.execute(sql, tuple(key.values()) * 2).fetchone()
            return RowEdit(path, table, key, None, {**key, "state": "{}", "update_time": time})
    raise Unsupported("no state row of that key is missing")


def _cache_class(draft: Draft) -> str:
    old, new = draft.known, draft.slots
    if new[: len(old)] == old and all(s.row == s.was for s in old):
        return "append" if len(new) > len(old) else "envelope"
    return "cut" if all(s.was is not None and s.row == s.was for s in new) else "payload"


def _apply(operation: Operation, draft: Draft, columns: Sequence[str]) -> None:
    match operation:
        case Answer(n=n):
            _answer(operation, draft, draft.known[n])
        case Drop(n=n):
            draft.remove(draft.known[n])
        case DropPart(n=n):
            _drop_part(draft, draft.known[n], operation.part)
        case Note(n=n):
            _note(operation, draft, n)
        case Truncate(n=n):
            for slot in draft.known[n + 1 :]:
                draft.remove(slot)
        case Quarantine(place=Row(table=table, key=key)) if table == EVENTS:
            draft.remove(_slot_of(draft, json.loads(key).get("id")))
        case RekeyCall():
            _rekey(operation, draft)
        case Move(n=n, after=after):
            draft.move(draft.known[n], draft.known[after])
        case _:
            _apply_state(operation, draft, columns)


def _apply_state(operation: Operation, draft: Draft, columns: Sequence[str]) -> None:
    match operation:
        case SetState(entity=entity, value=value) if entity.startswith("timestamp of "):
            key = json.loads(entity.removeprefix("timestamp of "))
            _set_time(draft, _slot_of(draft, key.get("id")), value)
        case SetCounter(name=name) if name == UPDATE_TIME and draft.head is not None:
            last = last_moment(draft.stored)
            assert last is not None
            draft.head["update_time"] = for_variant(last, draft.stored.variant)
        case Rebuild(what="header"):
            draft.head = new_head(draft.stored, dict.fromkeys(columns))
        case _:
            raise refused(operation, SUPPORTS)


def _slot_of(draft: Draft, name: Value) -> Slot:
    for slot in draft.known:
        if slot.was is not None and slot.was["id"] == name:
            return slot
    raise Unsupported("there is no such event any more")


def _answer(operation: Answer, draft: Draft, call: Slot) -> None:
    """One event holds the answers to all open calls of an event."""
    if call.row is None:
        return
    found = call_of(call.event.parts[operation.part]) or {}
    name = found.get("name")
    tool = name if isinstance(name, str) else None
    response = {
        "id": operation.call_id,
        "name": tool or "unknown",
        "response": {
            "result": answer_text(tool, operation.outcome, draft.last_time, operation.words)
        },
    }
    part = {"function_response": response}
    added = draft.answers.get(call.event.id)
    if added is None:
        slot = draft.insert(call, call.event.author, "user", [part])
        draft.answers[call.event.id] = slot
        return
    content = added.event.value["content"]
    parts = {"parts": [*content["parts"], part], "role": "user"}
    draft.rewrite(added, {**added.event.value, "content": parts})


def _drop_part(draft: Draft, slot: Slot, part: int) -> None:
    content = slot.event.value.get("content")
    if not isinstance(content, dict) or len(slot.event.parts) <= 1:
        draft.remove(slot)
        return
    gone = slot.event.parts[part]
    left = [one for one in content["parts"] if one is not gone]
    draft.rewrite(slot, {**slot.event.value, "content": {**content, "parts": left}})


def _note(operation: Note, draft: Draft, n: int) -> None:
    before = [slot for slot in draft.known[: n + 1] if slot.row is not None]
    if not before:
        raise Unsupported("nothing is left of the session that a note could follow")
    text = note_text(operation.tools, draft.last_time)
    draft.insert(before[-1], "user", "user", [{"text": text}])


def _rekey(operation: RekeyCall, draft: Draft) -> None:
    seed = f"{operation.call_id}\n{draft.known[operation.n].event.id}"
    fresh = f"adk-{UUID(bytes=sha256(seed.encode('utf-8', 'surrogatepass')).digest()[:16])}"
    _renamed(draft, draft.known[operation.n], operation.part, fresh)
    if operation.result_n is not None and operation.result_part is not None:
        _renamed(draft, draft.known[operation.result_n], operation.result_part, fresh)


def _renamed(draft: Draft, slot: Slot, part: int, fresh: str) -> None:
    value = json.loads(json.dumps(slot.event.value))
    chosen = [p for p in value["content"]["parts"] if isinstance(p, dict)][part]
    body: dict[str, Any] | None = call_of(chosen) or response_of(chosen)
    assert body is not None
    old, body["id"] = body.get("id"), fresh
    waiting = value.get("long_running_tool_ids")
    if isinstance(waiting, list):
        value["long_running_tool_ids"] = [fresh if name == old else name for name in waiting]
    draft.rewrite(slot, value)


def _set_time(draft: Draft, slot: Slot, value: str) -> None:
    time = micros(float(value)) if value.replace(".", "", 1).isdecimal() else micros(value)
    if time is None:
        raise Unsupported("the time cannot be told")
    draft.set_time(slot, time)
