"""laxcode: three SQL tables, a raw history and a context window with provenance."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from suture.model.files import Files, Writer
from suture.model.rows import DamageRow, SourceRow
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores.laxcode.tables import NEEDED, RAW, SESSION, WINDOW, session_ids, stored
from suture.stores.laxcode.view import rows


def claims(head: Head) -> bool:
    return head.tables is not None and all(
        columns <= head.tables.get(table, frozenset()) for table, columns in NEEDED.items()
    )


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session: a plan guards, skips and applies each on its own."""
    return [Unit(0, "laxcode", (path,), name) for path in paths for name in _names(files, path)]


def _names(files: Files, path: str) -> Sequence[str | None]:
    try:
        with closing(files.sqlite(path)) as database:
            return session_ids(database) or (None,)
    except (sqlite3.Error, OSError):
        return (None,)  # reading it says what is wrong


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    count, size = 0, None
    try:
        size = len(files.data(path))
        with closing(files.sqlite(path)) as database:
            names = [unit.session] if unit.session is not None else session_ids(database)
            for name in names:
                kept = stored(database, name)
                count += len(kept.raw)
                for table, row in rows(unit.index, sink.session_key(), path, kept, sink.full):
                    sink.add(table, row)
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", _unreadable(unit, error))
    sink.add("source", SourceRow(unit.index, "laxcode", path, "sqlite", size, count))


def _unreadable(unit: Unit, error: sqlite3.Error | OSError) -> DamageRow:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return DamageRow(
        unit=unit.index,
        path=unit.paths[0],
        kind="unreadable",
        line=None,
        offset=None,
        length=None,
        detail=reason.lower(),
        fixable=False,
    )


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])


SERVER = dict.fromkeys((SESSION, RAW, WINDOW), ("session_id",))
