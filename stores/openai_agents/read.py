"""OpenAI Agents SDK: the sessions that it keeps in SQL, with or without branches."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from suture.model.files import Files, Writer
from suture.model.rows import SourceRow
from suture.model.unit import Unit
from suture.stores._opened import Opened, alone, one_by_one
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores._tables import unreadable
from suture.stores.openai_agents.sessions import names, sessions
from suture.stores.openai_agents.tables import all_tables, shaped
from suture.stores.openai_agents.view import fill


def claims(head: Head) -> bool:
    return head.tables is not None and shaped(head.tables)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session: a plan guards, skips and applies each on its own."""
    return [
        Unit(0, "openai-agents", (path,), name) for path in paths for name in _names(files, path)
    ]


def _names(files: Files, path: str) -> Sequence[str | None]:
    try:
        with closing(files.sqlite(path)) as database:
            return names(database) or (None,)
    except (sqlite3.Error, OSError):
        return (None,)  # reading it says what is wrong


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    one_by_one(_read, units, files, sink, live)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    alone(_read, unit, files, sink)


def _read(unit: Unit, database: Opened, sink: Sink) -> None:
    path = unit.paths[0]
    count, size = 0, None
    try:
        size = database.size
        for kept in sessions(database.connection, unit.session, database.once(all_tables)):
            count += len(kept.messages)
            fill(unit.index, sink.session_key(), path, kept, sink)
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", unreadable(unit.index, path, error))
    sink.add("source", SourceRow(unit.index, "openai-agents", path, "sqlite", size, count))


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
