"""Operations as rows: each change of a row goes with its event and the counter."""

import json
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from suture.model.answer import note_text
from suture.model.edit import Edit, RowEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    Drop,
    DropPart,
    Note,
    Operation,
    Quarantine,
    Rebuild,
    RekeyCall,
    SetCounter,
    SetState,
    Truncate,
)
from suture.model.place import Row, Span
from suture.model.unit import Unit
from suture.stores._row_edits import all_in_first, opened
from suture.stores._store import Translated
from suture.stores.opencode import finals, heads, ids, tree
from suture.stores.opencode.counts import totals
from suture.stores.opencode.database import stored
from suture.stores.opencode.draft import Draft
from suture.stores.opencode.log import body_of
from suture.stores.opencode.states import set_state
from suture.stores.opencode.stored import MESSAGE, PART, SEQUENCE, SESSION, Item
from suture.stores.opencode.values import agrees, integer, string

_ROWS = "a row of a table, or a file of its own, is no line of a file"
_LINKS = "messages go by their time; none hangs on another"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": "yes",
    "DropPart": "yes",
    "ResultsFirst": "the result stands in the part of its call",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": _ROWS,
    "Split": _ROWS,
    "Replace": _ROWS,
    "Reparent": _LINKS,
    "Rekey": "ids are primary keys, so none stands twice",
    "RekeyCall": "yes",
    "Renumber": "events are never changed; only new ones are added",
    "Blank": _ROWS,
    "Move": _LINKS,
    "SetState": "yes",
    "SetCounter": "yes",
    "NewWindow": "the window follows from the messages",
    "Rebuild": "yes",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All in one: the counter goes up once for all of them, so the first carries the edits."""
    made = (
        _whole(unit, files, operations) if unit.session is None else _made(unit, files, operations)
    )
    adding = any(isinstance(operation, Note) for operation in operations)
    cache = "append" if adding or _at_the_end(operations) else "envelope"
    return all_in_first(made, cache, operations)


def _at_the_end(operations: Sequence[Operation]) -> bool:
    return any(isinstance(operation, Answer) for operation in operations)


def _made(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Edit]:
    path = unit.paths[0]
    if tree.is_part_of_tree(path):
        draft = Draft(tree.stored(unit, files))
    else:
        assert unit.session is not None
        with opened(unit, files) as database:
            draft = Draft(stored(database, path, unit.session))
    for operation in operations:
        _apply(operation, draft)
    return draft.edits(files)


def _apply(operation: Operation, draft: Draft) -> None:
    match operation:
        case Answer(n=n):
            item = _item(draft, n, PART)
            home, last = draft.message_of[item.id], finals.last_time(draft.stored)
            draft.set_body(item, finals.answered(home, item, draft.body(item), operation, last))
        case DropPart(n=n):
            draft.remove(_item(draft, n, PART))
        case Drop(n=n):
            _drop(draft, draft.order[n])
        case Truncate(n=n):
            _truncate(draft, n)
        case Note():
            _note(operation, draft)
        case RekeyCall(n=n, call_id=call_id):
            item = _item(draft, n, PART)
            fresh = ids.fresh_call(call_id, draft.stored.id, item.id)
            draft.set_body(item, {**draft.body(item), "callID": fresh})
        case SetState(entity=entity, value=value):
            set_state(draft, entity, value)
        case SetCounter(name=name, value=value):
            _set_counter(draft, name, value)
        case Quarantine(place=place):
            _quarantine(draft, place)
        case Rebuild(what=what):
            _rebuild(draft, what)
        case _:
            raise Unsupported(SUPPORTS[type(operation).__name__])


def _item(draft: Draft, n: int, table: str) -> Item:
    item = draft.order[n]
    if item.table != table:
        raise Unsupported(f"record {n} is no {table}")
    return item


def _drop(draft: Draft, item: Item) -> None:
    if item.table == MESSAGE:
        draft.remove_message(draft.message_of[item.id])
    elif item.table == PART:
        draft.remove(item)
    else:
        raise Unsupported("only messages and parts can be taken out")


def _truncate(draft: Draft, n: int) -> None:
    for item in draft.order[n + 1 :]:
        if (item.table, item.id) in draft.rows:
            draft.remove(item)


def _note(operation: Note, draft: Draft) -> None:
    """A text of the message that the cut is in, or that is the last one left."""
    before = draft.order[: operation.n + 1]
    left = (i for i in reversed(before) if i.table == MESSAGE)
    home = next((i for i in left if draft.rows[MESSAGE, i.id].body is not None), None)
    if home is None:
        raise Unsupported("no message is left that a note could stand in")
    message = draft.message_of[home.id]
    last = finals.last_time(draft.stored)
    text = note_text(operation.tools, None if last is None else finals.stamp(last))
    ms = finals.last_ms([message])
    previous = max((part.id for part in message.parts), default=None)
    body: dict[str, Any] = {"type": "text", "text": text, "time": {"start": ms, "end": ms}}
    added = [{"type": "step-start"}, body]  # a text of the same step would stand before results
    if draft.body(home).get("role") == "user":
        added = [{"type": "text", "text": text, "synthetic": True}]
    columns: dict[str, Any] = {"message_id": home.id, "session_id": draft.stored.id}
    columns |= {"time_created": ms, "time_updated": ms}
    for part in added:
        previous = ids.after(previous, "prt", ms, draft.stored.id, home.id, text)
        draft.add(PART, previous, dict(columns), part, True)


def _set_counter(draft: Draft, name: str, value: int) -> None:
    if name == "counter" and draft.stored.has_log:
        draft.seq = value - 1  # the next number; the row holds the last one
        return
    found = totals(draft.stored)
    if name not in found or draft.head is None or name not in draft.head:
        raise Unsupported("the store has no such number")
    draft.head[name] = found[name]


def _quarantine(draft: Draft, place: Row | Span) -> None:
    if isinstance(place, Span):
        item = next((i for i in draft.order if i.path == place.path), None)
        if item is None or item.table == SESSION:
            raise Unsupported("without its file the session would not be found")
        _drop(draft, item)
        return
    name = string(json.loads(place.key).get("id"))
    if place.table == SESSION and draft.head is not None:
        for column, _ in draft.stored.faults:
            draft.head[column] = heads.mended(draft.stored, draft.log, column)
        return
    found = next((i for i in draft.order if (i.table, i.id) == (place.table, name)), None)
    if found is None or found.table not in (MESSAGE, PART):
        raise Unsupported("only messages and parts can be taken out")
    strays = [i for i in draft.stored.strays if found in draft.stored.strays]
    for item in strays or [found]:
        if item is found or item.columns.get("message_id") == found.columns.get("message_id"):
            _drop(draft, item)


def _rebuild(draft: Draft, what: str) -> None:
    kind, _, name = what.partition(" ")
    if draft.stored.is_tree:
        raise Unsupported("the older tree has no event log to make it from")
    if kind == "header":
        if draft.head is not None:
            raise Unsupported("the session has its row")
        draft.head = heads.row(draft.stored, draft.log)
    elif kind == SESSION and draft.head is not None:
        draft.head |= heads.changed(draft.stored, draft.log)
    elif kind == "row" and name == SEQUENCE:
        known = [seq for event in draft.stored.events if (seq := event.number) is not None]
        if not known:
            raise Unsupported("no event of the log has a number")
        draft.seq = max(known)
    elif kind == "event":
        table, _, name = name.partition(" ")
        draft.rows[table, name].touched = draft.rows[table, name].told = True
    elif kind in (MESSAGE, PART):
        _restore(draft, kind, name)
    else:
        raise Unsupported("the event log does not hold it")


def _restore(draft: Draft, table: str, name: str) -> None:
    """The last event's object as the row, times as the client gives them on insert."""
    found = (draft.log.messages if table == MESSAGE else draft.log.parts).get(name)
    if found is None:
        raise Unsupported("the event log does not hold it")
    time = found.get("time")
    created = integer(time.get("created")) if isinstance(time, dict) else None
    ms = created or draft.log.times.get(name) or finals.last_ms(draft.stored.messages)
    columns: dict[str, Any] = {"time_created": ms, "time_updated": ms}
    body = body_of(found)
    if (old := draft.rows.get((table, name))) is not None:
        columns |= {key: value for key, value in old.columns.items() if key != "data"}
        if old.body is not None and agrees(body, old.body):
            body = old.body  # it only hangs elsewhere, and may hold keys that the log left out
    columns["session_id"] = draft.stored.id
    if table == PART:
        columns["message_id"] = string(found.get("messageID"))
    draft.add(table, name, columns, body, False)


def _whole(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Edit]:
    """What belongs to no session: only a project's list of sandboxes can be emptied."""
    found: list[Edit] = []
    for operation in operations:
        place = operation.place if isinstance(operation, Quarantine) else None
        if not isinstance(place, Row) or place.table != "project":
            raise Unsupported("nothing outside sessions is changed")
        with closing(files.sqlite(unit.paths[0])) as database:
            database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            key = json.loads(place.key)
            sql = "SELECT sandboxes FROM project WHERE id = ?"
            row = database.execute(sql, (key["id"],)).fetchone()
        before = {"sandboxes": row[0]}
        found.append(RowEdit(unit.paths[0], "project", key, before, {"sandboxes": "[]"}))
    return found
