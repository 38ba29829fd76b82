"""Operations as rows: only what the mapping gives values for, and no row is ever deleted."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from suture.model.answer import answer_text, note_text
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    DropPart,
    Note,
    Operation,
    Quarantine,
    SetCounter,
    SetState,
    Truncate,
)
from suture.model.place import Row
from suture.model.unit import Unit
from suture.stores._store import Translated
from suture.stores.mapped.draft import Draft, need, need_row, plain
from suture.stores.mapped.mapping import parsed
from suture.stores.mapped.message import Message
from suture.stores.mapped.session import entries, session_of
from suture.stores.mapped.stored import encoded, stored
from suture.stores.mapped.view import head_column, parts

_ROWS = "rows of a table are no bytes of a file"
_CONTENT = "messages of a mapped store are not changed, only left out or added"
_NO_KEY = "a mapping has no key for it"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": _CONTENT,
    "DropPart": "yes",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": _ROWS,
    "Split": _ROWS,
    "Replace": _ROWS,
    "Reparent": _NO_KEY,
    "Rekey": _CONTENT,
    "RekeyCall": _CONTENT,
    "Renumber": _CONTENT,
    "Blank": _CONTENT,
    "Move": _CONTENT,
    "SetState": "yes",
    "SetCounter": "yes",
    "NewWindow": _NO_KEY,
    "Rebuild": "a session's row has columns that no message tells",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    mapping = parsed(unit.mapping or "")
    if mapping.write is None:
        raise Unsupported("the mapping has no [write]: this store is only checked")
    assert unit.session is not None
    try:
        with closing(files.sqlite(unit.paths[0])) as database:
            session = session_of(mapping, stored(database, mapping, unit.session))
    except sqlite3.Error as error:
        raise Unsupported(f"the database cannot be read: {error}") from error
    draft = Draft.start(unit.paths[0], session)
    made = []
    for operation in operations:
        cache = _apply(operation, draft)
        made.append(Translated(draft.taken(), cache))
    return made


def _apply(operation: Operation, draft: Draft) -> str:
    """Carries it out in the draft; returns its cache class."""
    cache = "cut"
    match operation:
        case Answer():
            _answer(operation, draft)
            cache = "append"
        case Note():
            _note(operation, draft)
            cache = "append"
        case DropPart(n=n, part=part):
            _drop_part(draft, draft.messages[n], part)
        case Truncate(n=last):
            for message in draft.session.messages[last + 1 :]:
                draft.leave_out(message)
        case Quarantine(place=Row(table=table, key=key)):
            draft.leave_out(_message_at(draft, table, key))
        case SetCounter(name="counter", value=value):
            _set_counter(draft, value)
            cache = "envelope"
        case SetState(entity=entity) if entity.startswith("window "):
            _leave_window(draft, entity.removeprefix("window "))
        case SetState(entity="session", value=value):
            _set_session(draft, value)
            cache = "envelope"
        case SetState(entity="head"):
            _set_head(draft)
            cache = "envelope"
        case _:
            raise Unsupported(_reason(operation))
    return cache


def _reason(operation: Operation) -> str:
    reason = SUPPORTS[type(operation).__name__]
    return _NO_KEY if reason == "yes" else reason


def _answer(operation: Answer, draft: Draft) -> None:
    call = draft.messages[operation.n]
    known = [m for m in draft.messages if any(r.id == operation.call_id for r in m.results)]
    if known:
        _show_again(draft, known[0], call)
        return
    template = need_row(draft.mapping, "answer")
    name = next((c.name for c in call.calls if c.id == operation.call_id), None)
    text = answer_text(name, operation.outcome, _last_time(draft))
    values = {"call_id": operation.call_id, "text": text, "name": name or ""}
    draft.insert(template, values, call, _place_after(draft, call))
    added = draft.messages[-1]
    if [result.id for result in added.results] != [operation.call_id]:
        raise Unsupported(
            "the row of [write.answer] is not read as the result of the call: "
            "[message.kinds] and [result] must find its id"
        )


def _show_again(draft: Draft, result: Message, call: Message) -> None:
    """The result is stored and left out while its call is sent."""
    column = draft.mapping.message.active
    if column is None:
        raise Unsupported("the mapping names no message.active, so a message cannot be put back")
    draft.set_message(result, column, call.row[column])


def _place_after(draft: Draft, call: Message) -> int:
    """Behind the call and what answers its batch. Ordinals in use are never moved."""
    ids = {one.id for one in call.calls}
    last = call
    for message in draft.messages[call.n + 1 :]:
        if message.kind == "call" and last.kind == "call":
            ids |= {one.id for one in message.calls}
        elif not {result.id for result in message.results} & ids:
            break
        last = message
    end = draft.next_ordinal()
    later = [
        m for m in draft.messages if m.n > last.n and m.ordinal is not None and not _is_ours(m)
    ]
    if not later:
        return end
    wanted = (last.ordinal or 0) + 1
    if wanted in {m.ordinal for m in draft.messages}:
        following = min(m.ordinal or 0 for m in later)
        raise Unsupported(f"message {following} follows the call, and no ordinal between is free")
    return wanted


def _is_ours(message: Message) -> bool:
    return bool(message.results) and all(r.output.startswith("[suture]") for r in message.results)


def _note(operation: Note, draft: Draft) -> None:
    template = need_row(draft.mapping, "note")
    text = note_text(operation.tools, _last_time(draft))
    like = next((m for m in draft.session.messages if m.active is not False), None)
    if like is None:
        raise Unsupported("no message of the session is sent, so a note has no place")
    draft.insert(template, {"text": text}, like, draft.next_ordinal())


def _drop_part(draft: Draft, message: Message, part: int) -> None:
    if len(parts(message)) != 1 or part != 0:
        raise Unsupported(f"message {message.ordinal} holds more than this call; {_CONTENT}")
    draft.leave_out(message)


def _message_at(draft: Draft, table: str, key: str) -> Message:
    known = draft.session.stored.tables["message"]
    wanted = json.loads(key)
    for message in draft.messages if table == known.name else ():
        if json.loads(encoded(known.key_of(message.row))) == wanted:
            return message
    raise Unsupported(_CONTENT)


def _set_counter(draft: Draft, value: int) -> None:
    table = draft.mapping.session
    if table is None or table.counter is None:
        raise Unsupported("the mapping names no session.counter")
    draft.set_head(table.counter, value)


def _leave_window(draft: Draft, version: str) -> None:
    """Rows of an older version, or of one that was begun and not reached."""
    session = draft.session
    begun = [
        s for s in session.summaries if str(s.version) == version and s not in session.in_force
    ]
    hidden = [o for s in begun for o in s.covers if not _is_active(draft, o)]
    if hidden:
        raise Unsupported(
            f"message {hidden[0]} and what else the summary stands for are left out already, "
            "so without it nothing would be sent of them"
        )
    for entry in entries(draft.session):
        if entry.message is not None and str(entry.version) == version != str(
            draft.session.version
        ):
            draft.leave_out(entry.message)


def _is_active(draft: Draft, ordinal: int) -> bool:
    message = draft.session.by_ordinal.get(ordinal)
    return message is None or message.active is not False


def _set_session(draft: Draft, value: str) -> None:
    table = draft.mapping.session
    if table is None or table.status is None:
        raise Unsupported("the mapping names no session.status")
    draft.set_head(table.status, plain(need(draft.mapping, value)))


def _set_head(draft: Draft) -> None:
    table, column = draft.mapping.session, head_column(draft.session)
    newest = draft.messages[-1] if draft.messages else None
    if table is None or table.head is None or column is None or newest is None:
        raise Unsupported("the mapping names no session.head")
    if newest.row[column] is None:
        raise Unsupported(f"the newest message has no {column} that the head could name")
    draft.set_head(table.head, newest.row[column])


def _last_time(draft: Draft) -> str | None:
    column = draft.mapping.message.time
    found = draft.messages[-1].row[column] if draft.messages and column else None
    return str(found) if found is not None else None
