"""LangGraph: the checkpoints that its savers keep. They are checked, never written."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from suture.model.files import Files, Writer
from suture.model.rows import SourceRow
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores._tables import unreadable
from suture.stores.langgraph.tables import NAME, shaped, stored, threads
from suture.stores.langgraph.view import View


def claims(head: Head) -> bool:
    return head.tables is not None and shaped(head.tables, head.path)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each thread, with the graphs inside its graph."""
    return [Unit(0, NAME, (path,), name) for path in paths for name in _names(files, path)]


def _names(files: Files, path: str) -> Sequence[str | None]:
    try:
        with closing(files.sqlite(path)) as database:
            return threads(database) or (None,)
    except (sqlite3.Error, OSError):
        return (None,)  # reading it says what is wrong


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    count, size = 0, None
    try:
        size = len(files.data(path))
        with closing(files.sqlite(path)) as database:
            names = threads(database) if unit.session is None else [unit.session]
            for name in names:
                for kept in stored(database, name):
                    count += len(kept.checkpoints) + len(kept.writes)
                    view = View(unit.index, sink.session_key(), path, kept, sink.full)
                    for table, row in view.rows():
                        sink.add(table, row)
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", unreadable(unit.index, path, error))
    sink.add("source", SourceRow(unit.index, NAME, path, "sqlite", size, count))


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
