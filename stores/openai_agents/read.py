"""OpenAI Agents SDK: the sessions that it keeps in SQL, with or without branches."""

from collections.abc import Sequence

from suture.model.files import Files, Writer
from suture.model.unit import Unit
from suture.stores._opened import Opened, alone, one_by_one
from suture.stores._sessions import one_each, source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores.openai_agents.sessions import names, sessions
from suture.stores.openai_agents.tables import all_tables, shaped
from suture.stores.openai_agents.view import fill


def claims(head: Head) -> bool:
    return head.tables is not None and shaped(head.tables)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return one_each("openai-agents", names, files, paths)


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    one_by_one(_read, units, files, sink, live)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    alone(_read, unit, files, sink)


def _read(unit: Unit, database: Opened, sink: Sink) -> None:
    with source(unit, sink) as found:
        found.size = database.size
        for kept in sessions(database.connection, unit.session, database.once(all_tables)):
            found.count += len(kept.messages)
            fill(unit.index, sink.session_key(), unit.paths[0], kept, sink)


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
