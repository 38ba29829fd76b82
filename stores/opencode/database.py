"""Sessions in opencode.db. Columns differ between versions: none but the few named is required."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from suture.model.edit import Value
from suture.stores.opencode.log import Log, absent, log_of
from suture.stores.opencode.references import Reference, problems, references
from suture.stores.opencode.stored import (
    EVENT,
    MESSAGE,
    PART,
    SEQUENCE,
    SESSION,
    Columns,
    Item,
    Message,
    Stored,
)
from suture.stores.opencode.values import Fault, parsed

NEEDED = {
    SESSION: frozenset({"id", "directory", "title", "version", "time_created"}),
    MESSAGE: frozenset({"id", "session_id", "time_created", "data"}),
    PART: frozenset({"id", "message_id", "session_id", "data"}),
}
_JSON = ("summary_diffs", "metadata", "revert", "permission", "model")  # of the session's row


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
            found.update(name for (name,) in rows if isinstance(name, str) and _is_text(name))
        except sqlite3.Error:
            continue  # a damaged table: reading each session says so
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Shape:
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
    session = next(_rows(database, f"{SESSION} WHERE id = ?", session_id), None)
    of_message: dict[Value, list[Item]] = defaultdict(list)
    for row in _rows(
        database,
        f"{PART} WHERE message_id IN (SELECT id FROM {MESSAGE} WHERE session_id = ?) "
        "ORDER BY message_id, id",
        session_id,
    ):
        of_message[row["message_id"]].append(_item(PART, row))
    messages = tuple(
        Message(_item(MESSAGE, row), tuple(of_message.get(row["id"], ())))
        for row in _rows(
            database, f"{MESSAGE} WHERE session_id = ? ORDER BY time_created, id", session_id
        )
    )
    strays = _rows(
        database,
        f"{PART} WHERE session_id = ? AND NOT EXISTS "
        f"(SELECT 1 FROM {MESSAGE} m WHERE m.id = {PART}.message_id) ORDER BY id",
        session_id,
    )
    sequence = None
    events: tuple[Item, ...] = ()
    if columns[SEQUENCE] and columns[EVENT]:
        where = "WHERE aggregate_id = ?"
        sequence = next(_rows(database, f"{SEQUENCE} {where}", session_id), None)
        rows = _rows(database, f"{EVENT} {where} ORDER BY seq, id", session_id)
        events = tuple(_item(EVENT, row) for row in rows)
    found = Stored(
        id=session_id,
        path=path,
        session=None if session is None else Item(SESSION, session_id, session, dict(session)),
        faults=tuple(_faults(session)) if session else (),
        messages=messages,
        strays=tuple(_item(PART, row) for row in strays),
        events=events,
        sequence=None if sequence is None else Item(SEQUENCE, session_id, sequence),
        problems=tuple(problems(database, session_id, known.references)),
        columns=columns,
    )
    log = log_of(found)
    return replace(found, elsewhere=tuple(_elsewhere(database, found, log)), log=log)


def _elsewhere(database: sqlite3.Connection, found: Stored, log: Log) -> Iterator[Item]:
    for table, name in absent(found, log):
        if not _is_text(name):
            continue
        row = next(_rows(database, f"{table} WHERE id = ?", name), None)
        if row is not None:
            yield _item(table, row)


def _is_text(name: str) -> bool:
    """An id of bytes that are no text cannot be asked for, neither here nor by the client."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _tables(database: sqlite3.Connection) -> set[str]:
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {str(name) for (name,) in rows}


def _columns(database: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(str(row[1]) for row in database.execute(f"PRAGMA table_info({table})"))


def _rows(database: sqlite3.Connection, source: str, value: str) -> Iterator[Columns]:
    cursor = database.execute(f"SELECT * FROM {source}", (value,))
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row))  # noqa: B905 (both are of one query)


def _item(table: str, row: Columns) -> Item:
    body, fault = parsed(row["data"], "data")
    if fault is None and not isinstance(body, dict):
        fault = Fault("bad_shape", "data is no object")
    if not isinstance(body, dict):
        body = None
    return Item(table, str(row["id"]), row, body, fault)


def _faults(row: Columns) -> Iterator[tuple[str, Fault]]:
    for name in _JSON:
        value: Any = row.get(name)
        if value is not None and (fault := parsed(value, name)[1]) is not None:
            yield name, fault
