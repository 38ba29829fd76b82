"""Operations as rows: only what the mapping gives values for, and no row is ever deleted."""

import json
from collections.abc import Sequence

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
from suture.stores._encoding import is_utf8_text
from suture.stores._row_edits import ROWS, opened, refused
from suture.stores._store import Translated
from suture.stores.mapped.answers import answer, note
from suture.stores.mapped.blocks import parts
from suture.stores.mapped.draft import Draft, need, number, plain
from suture.stores.mapped.mapping import parsed
from suture.stores.mapped.message import Message
from suture.stores.mapped.session import entries, session_of
from suture.stores.mapped.stored import encoded, stored
from suture.stores.mapped.viewing import head_column

_CONTENT = "messages of a mapped store are not changed, only left out or added"
_NO_KEY = "a mapping has no key for it"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": _CONTENT,
    "DropPart": "yes",
    "ResultsFirst": _CONTENT,
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
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
    if not is_utf8_text(unit.session):
        raise Unsupported("the id of the session is not UTF-8: no plan can name it")
    with opened(unit, files) as database:
        session = session_of(mapping, stored(database, mapping, unit.session))
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
            answer(operation, draft)
            cache = "append"
        case Note():
            note(operation, draft)
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
            raise refused(operation, SUPPORTS, _NO_KEY)
    return cache


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
    draft.set_head(table.counter, number(value))


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
