"""Crush: sessions and messages in `crush.db`, the parts of a message as JSON."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from suture.model.files import Files, Writer
from suture.model.rows import SourceRow
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores._tables import unreadable
from suture.stores.crush.lock import lock_holders
from suture.stores.crush.tables import NEEDED, session_ids, stored
from suture.stores.crush.view import rows


def claims(head: Head) -> bool:
    return head.tables is not None and all(
        columns <= head.tables.get(table, frozenset()) for table, columns in NEEDED.items()
    )


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session: a plan guards, skips and applies each on its own."""
    return [Unit(0, "crush", (path,), name) for path in paths for name in _names(files, path)]


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
                count += len(kept.messages)
                for table, row in rows(unit.index, sink.session_key(), path, kept, sink.full):
                    sink.add(table, row)
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", unreadable(unit.index, path, error))
    sink.add("source", SourceRow(unit.index, "crush", path, "sqlite", size, count))


def writers(unit: Unit) -> list[Writer]:
    path = unit.paths[0]
    return [*database_writers(path), *lock_holders(Path(path).parent / "crush.lock")]
