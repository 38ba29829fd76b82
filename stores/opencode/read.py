"""OpenCode: a SQLite database with an event log, and the older tree of JSON files."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from suture.model.files import Files, Writer
from suture.model.rows import DamageRow, SourceRow
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores._opened import Opened, alone, one_by_one
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores.opencode import tree, whole
from suture.stores.opencode.database import NEEDED, session_ids, shape, stored
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import Stored
from suture.stores.opencode.view import fill


def claims(head: Head) -> bool:
    if head.tables is None:
        return tree.is_part_of_tree(head.path)
    return all(columns <= head.tables.get(table, frozenset()) for table, columns in NEEDED.items())


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session, and one for what a database holds beside them."""
    databases = [path for path in paths if not tree.is_part_of_tree(path)]
    found = [Unit(0, "opencode", (p,), name) for p in databases for name in _names(files, p)]
    return found + tree.units(files, [path for path in paths if tree.is_part_of_tree(path)])


def _names(files: Files, path: str) -> list[str | None]:
    try:
        with closing(files.sqlite(path)) as database:
            return [None, *session_ids(database)]
    except (sqlite3.Error, OSError):
        return [None]  # reading it says what is wrong


def read(unit: Unit, files: Files, sink: Sink) -> None:
    alone(_read, unit, files, sink)


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    one_by_one(_read, units, files, sink, live)


def _read(unit: Unit, database: Opened, sink: Sink) -> None:
    path = unit.paths[0]
    if tree.is_part_of_tree(path):
        _read_tree(unit, database.files, sink)
        return
    size = None
    count = 0
    try:
        if unit.session is None:
            size = database.size
            for row in whole.damage(database.connection, unit.index, path):
                sink.add("damage", row)
        else:
            kept = stored(database.connection, path, unit.session, database.once(shape))
            count = sum(1 for _ in kept.records())
            _fill(unit, kept, sink)
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", _unreadable(unit, error))
    sink.add("source", SourceRow(unit.index, "opencode", path, "sqlite", size, count))


def _fill(unit: Unit, kept: Stored, sink: Sink) -> None:
    session = Session(unit.index, sink.session_key(), kept, sink.live, sink.full)
    fill(session, sink)


def _read_tree(unit: Unit, files: Files, sink: Sink) -> None:
    kept = tree.stored(unit, files)
    _fill(unit, kept, sink)
    for item in kept.records():
        size = item.number("size")
        sink.add("source", SourceRow(unit.index, "opencode", str(item.path), "json", size, 1))


def _unreadable(unit: Unit, error: sqlite3.Error | OSError) -> DamageRow:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return DamageRow(
        unit.index, unit.paths[0], "unreadable", None, None, None, reason.lower(), fixable=False
    )


def writers(unit: Unit) -> list[Writer]:
    """A file of the tree is open for the moment of its writing only."""
    path = unit.paths[0]
    return open_writers(path) if tree.is_part_of_tree(path) else database_writers(path)
