"""A new database file with the schema of another one, and what follows its rows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from suture.stores._tables import quoted, text

_OWN = "sqlite_"  # starts the names of tables that SQLite makes itself


class Entry(Struct, frozen=True):
    """A row of `sqlite_master`."""

    type: str
    name: str
    table: str
    root: int
    sql: str | None

    @property
    def is_virtual(self) -> bool:
        return self.type == "table" and _words(self.sql)[:2] == ["CREATE", "VIRTUAL"]

    @property
    def is_unique(self) -> bool:
        return self.type == "index" and _words(self.sql)[:2] == ["CREATE", "UNIQUE"]

    @property
    def holds_rows(self) -> bool:
        return self.type == "table" and not self.is_virtual and self.root > 0


def _words(sql: str | None) -> list[str]:
    return (sql or "").upper().split(maxsplit=2)


def schema(database: sqlite3.Connection) -> list[Entry]:
    """As much of it as can be read, in the order in which it was made."""
    found: list[Entry] = []
    try:
        for row in database.execute(
            "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master"
        ):
            kind, name, table, root, sql = (_text(value) for value in row)
            if kind and name and table:
                found.append(Entry(kind, name, table, int(root or 0), sql))
    except sqlite3.Error:
        pass  # what comes after a damaged page of the schema is lost with it
    return found


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)


def begin(source: sqlite3.Connection, entries: list[Entry], target: Path) -> list[str]:
    """Make the file with its tables and what must be unique; returns what could not be made."""
    failed: list[str] = []
    with closing(sqlite3.connect(target, isolation_level=None)) as fresh:
        for name in ("page_size", "encoding", "auto_vacuum"):
            fresh.execute(f"PRAGMA {name} = '{_pragma(source, name)}'")
        fresh.execute("PRAGMA synchronous = OFF")
        fresh.execute("BEGIN")
        for entry in entries:
            if entry.holds_rows and not entry.name.startswith(_OWN):
                failed += _make(fresh, entry)
        if any(entry.name.startswith("sqlite_stat") for entry in entries):
            fresh.execute("ANALYZE")
        for entry in entries:
            if entry.is_unique:
                failed += _make(fresh, entry)
        fresh.execute("COMMIT")
    return failed


def finish(source: sqlite3.Connection, entries: list[Entry], target: Path) -> list[str]:
    """Indexes, views, triggers and virtual tables, now that the rows are there."""
    failed: list[str] = []
    with closing(sqlite3.connect(target, isolation_level=None)) as fresh:
        fresh.execute("PRAGMA synchronous = OFF")
        fresh.execute("BEGIN")
        for entry in entries:
            if entry.type == "index" and entry.sql and not entry.is_unique:
                failed += _make(fresh, entry)
        for kind in ("view", "trigger"):
            for entry in entries:
                if entry.type == kind:
                    failed += _make(fresh, entry)
        if any(entry.is_virtual for entry in entries):
            _add_virtual(fresh, entries)
        fresh.execute("COMMIT")
        for name in ("user_version", "application_id"):
            fresh.execute(f"PRAGMA {name} = {_pragma(source, name)}")
    return failed


def _add_virtual(fresh: sqlite3.Connection, entries: list[Entry]) -> None:
    """Their content lies in tables of its own, which are there already."""
    fresh.execute("PRAGMA writable_schema = ON")
    fresh.executemany(
        "INSERT INTO sqlite_master VALUES ('table', ?, ?, 0, ?)",
        [(entry.name, entry.table, entry.sql) for entry in entries if entry.is_virtual],
    )
    fresh.execute("PRAGMA writable_schema = OFF")


def use_log(target: Path) -> None:
    """In WAL mode, as its client left it."""
    with closing(sqlite3.connect(target, isolation_level=None)) as fresh:
        fresh.execute("PRAGMA journal_mode = WAL")


def _make(fresh: sqlite3.Connection, entry: Entry) -> Iterator[str]:
    try:
        if entry.sql is not None:
            fresh.execute(entry.sql)
    except sqlite3.Error as error:
        yield f"{entry.type} {entry.name} cannot be made: {error}"


def _pragma(database: sqlite3.Connection, name: str) -> str:
    try:
        (value,) = database.execute(f"PRAGMA {name}").fetchone()
    except (sqlite3.Error, TypeError):
        return "0"
    return str(value)


class Columns(Struct, frozen=True):
    """What is copied of a row: all that is stored, the rowid too where it has no name."""

    names: tuple[str, ...]
    rowid: str | None  # None: WITHOUT ROWID
    stored: int  # values in a record

    @property
    def list(self) -> str:
        return ", ".join(self.names)


def columns(database: sqlite3.Connection, table: str) -> Columns | None:
    """None: SQLite knows no such table."""
    database.text_factory = text
    info = database.execute(
        "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)", (table,)
    ).fetchall()
    real = [(str(n), str(t).upper(), pk) for n, t, pk, hidden in info if hidden not in (2, 3)]
    if not real:
        return None
    names = [quoted(name) for name, _, _ in real]
    stored = sum(1 for row in info if row[3] != 2)
    taken = {name.lower() for name, _, _ in real}
    primary = [kind for _, kind, pk in real if pk]
    for rowid in ("rowid", "_rowid_", "oid"):
        if rowid in taken:
            continue
        try:
            database.execute(f"SELECT {rowid} FROM {quoted(table)} LIMIT 0")
        except sqlite3.OperationalError:
            return Columns(tuple(names), None, stored)
        if primary == ["INTEGER"]:
            return Columns(tuple(names), rowid, stored)
        return Columns((rowid, *names), rowid, stored)
    return Columns(tuple(names), None, stored)
