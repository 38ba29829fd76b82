"""Sessions in opencode.db. Columns differ between versions: none but the few named is required."""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from suture.model.edit import Value
from suture.stores._encoding import is_utf8_text
from suture.stores.opencode.log import Log, absent, fold
from suture.stores.opencode.references import Reference, problems, references
from suture.stores.opencode.session_row import faults, lost_workspace
from suture.stores.opencode.stored import (
    EVENT,
    MESSAGE,
    PART,
    SEQUENCE,
    SESSION,
    Columns,
    Event,
    Item,
    Message,
    Stored,
)
from suture.stores.opencode.values import Fault, at, parsed

WORKSPACE = "workspace"
NEEDED = {
    SESSION: frozenset({"id", "directory", "title", "version", "time_created"}),
    MESSAGE: frozenset({"id", "session_id", "time_created", "data"}),
    PART: frozenset({"id", "message_id", "session_id", "data"}),
}


def text(data: bytes) -> str:
    """TEXT that is not UTF-8 keeps its bytes as surrogate escapes; a BLOB stays bytes."""
    return data.decode("utf-8", "surrogateescape")


def session_ids(database: sqlite3.Connection) -> list[str]:
    """Every session that has a row, messages, parts or a log."""
    database.text_factory = text
    tables = _tables(database)
    named = [("id", SESSION), ("session_id", MESSAGE), ("session_id", PART)]
    named += [("aggregate_id", name) for name in (SEQUENCE, EVENT) if name in tables]
    found: set[str] = set()
    for column, table in named:
        try:
            rows = database.execute(f"SELECT DISTINCT {column} FROM {table}")
            found.update(name for (name,) in rows if isinstance(name, str) and is_utf8_text(name))
        except sqlite3.Error:
            continue  # a damaged table: reading each session says so
    return sorted(found)


class Shape(Struct, frozen=True):
    """The columns of the tables, and what asks for references that lead nowhere."""

    columns: Mapping[str, tuple[str, ...]]
    references: tuple[Reference, ...]


def shape(database: sqlite3.Connection) -> Shape:
    tables = _tables(database)
    wanted = (SESSION, MESSAGE, PART, EVENT, SEQUENCE)
    columns = {t: _columns(database, t) if t in tables else () for t in wanted}
    return Shape(columns, tuple(references(database)))


def stored(
    database: sqlite3.Connection, path: str, session_id: str, known: Shape | None = None
) -> Stored:
    known = known or shape(database)
    database.text_factory = str
    try:
        return _stored(database, path, session_id, known)
    except sqlite3.OperationalError:  # a call of Python for each value only where it is needed
        database.text_factory = text
        return _stored(database, path, session_id, known)


def _stored(database: sqlite3.Connection, path: str, session_id: str, known: Shape) -> Stored:
    columns = known.columns
    session = next(iter(_rows(database, f"{SESSION} WHERE id = ?", session_id)), None)
    of_message: dict[Value, list[Item]] = defaultdict(list)
    for part in _items(
        database,
        PART,
        f"WHERE message_id IN (SELECT id FROM {MESSAGE} WHERE session_id = ?) "
        "ORDER BY message_id, id",
        session_id,
    ):
        of_message[part.columns["message_id"]].append(part)
    messages = tuple(
        Message(item, tuple(of_message.get(item.columns["id"], ())))
        for item in _items(
            database, MESSAGE, "WHERE session_id = ? ORDER BY time_created, id", session_id
        )
    )
    strays = _items(
        database,
        PART,
        "WHERE session_id = ? AND NOT EXISTS "
        f"(SELECT 1 FROM {MESSAGE} m WHERE m.id = {PART}.message_id) ORDER BY id",
        session_id,
    )
    sequence = None
    log = Log()
    events: tuple[Event, ...] = ()
    if columns[SEQUENCE] and columns[EVENT]:
        where = "WHERE aggregate_id = ?"
        sequence = next(iter(_rows(database, f"{SEQUENCE} {where}", session_id)), None)
        events = tuple(_events(database, session_id, columns[EVENT], log))
    found = Stored(
        id=session_id,
        path=path,
        session=None if session is None else Item(SESSION, session_id, session, dict(session)),
        faults=tuple(_faults(database, session)) if session else (),
        messages=messages,
        strays=strays,
        events=events,
        sequence=None if sequence is None else Item(SEQUENCE, session_id, sequence),
        problems=tuple(problems(database, session_id, known.references)),
        columns=columns,
        log=log,
        lost_parent=_lost_parent(database, session),
    )
    return replace(found, elsewhere=tuple(_elsewhere(database, found, log)))


def _lost_parent(database: sqlite3.Connection, session: Columns | None) -> str | None:
    parent = session.get("parent_id") if session else None
    if not isinstance(parent, str) or not is_utf8_text(parent):
        return None
    return None if _rows(database, f"{SESSION} WHERE id = ?", parent) else parent


def _elsewhere(database: sqlite3.Connection, found: Stored, log: Log) -> Iterator[Item]:
    for table, name in absent(found, log):
        if not is_utf8_text(name):
            continue  # it cannot be asked for, neither here nor by the client
        yield from _items(database, table, "WHERE id = ?", name)[:1]


def _tables(database: sqlite3.Connection) -> set[str]:
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {str(name) for (name,) in rows}


def _columns(database: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(str(row[1]) for row in database.execute(f"PRAGMA table_info({table})"))


def _events(
    database: sqlite3.Connection, session_id: str, columns: Collection[str], log: Log
) -> Iterator[Event]:
    """What they tell goes into the log: nothing else asks for it."""
    kind = "type" if "type" in columns else "NULL"
    sql = f"SELECT id, seq, {kind}, data FROM {EVENT} WHERE aggregate_id = ? ORDER BY seq, id"
    for name, seq, kind, data in database.execute(sql, (session_id,)):
        body, fault = _object(data, "data of an event")
        if at(body, "sessionID") not in (None, session_id):  # each names its session
            body, fault = None, fault or Fault("bad_shape", "data of an event of another session")
        event = Event(str(name), seq, kind, len(str(data)), fault)
        fold(log, session_id, event, body)
        yield event


def _rows(database: sqlite3.Connection, source: str, value: str) -> list[Columns]:
    cursor = database.execute(f"SELECT * FROM {source}", (value,))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor]  # noqa: B905 (both are of one query)


def _items(database: sqlite3.Connection, table: str, which: str, value: str) -> tuple[Item, ...]:
    return tuple(_item(table, row) for row in _rows(database, f"{table} {which}", value))


def _item(table: str, row: Columns) -> Item:
    return Item(table, str(row["id"]), row, *_object(row["data"]))


def _object(data: Value, what: str = "data") -> tuple[dict[str, Any] | None, Fault | None]:
    body, fault = parsed(data, what)
    if isinstance(body, dict):
        return body, fault
    return None, fault or Fault("bad_shape", f"{what} is no object")


def _faults(database: sqlite3.Connection, session: Columns) -> Iterator[tuple[str, Fault]]:
    yield from faults(session)
    workspace = session.get("workspace_id")
    if workspace is None or WORKSPACE not in _tables(database):
        return
    if not database.execute(f"SELECT 1 FROM {WORKSPACE} WHERE id = ?", (workspace,)).fetchone():
        yield lost_workspace()
