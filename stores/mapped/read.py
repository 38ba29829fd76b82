"""Any SQL schema of your own, as a mapping file describes it."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache, partial

from msgspec.structs import replace

from suture.model.errors import BadMapping
from suture.model.files import Files, Writer
from suture.model.unit import Unit
from suture.stores._opened import Opened, alone, one_by_one
from suture.stores._sessions import source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head, Store
from suture.stores._tables import row_damage
from suture.stores.mapped import STORE
from suture.stores.mapped.columns import absent
from suture.stores.mapped.lines import line_of
from suture.stores.mapped.mapping import MappingFile, heads, parsed
from suture.stores.mapped.session import session_of
from suture.stores.mapped.stored import of_none, session_ids, stored, tables_of
from suture.stores.mapped.view import NAME, fill

_MOST = 5  # things that are wrong, told at once


@lru_cache(maxsize=8)
def by_mapping(text: str, name: str = "the mapping") -> Store:
    """The store for one mapping file: every SQLite database is read by it. `name` is its path."""

    def units(files: Files, paths: Sequence[str]) -> list[Unit]:
        return [unit for path in paths for unit in _units(files, path, text, name)]

    server = _on_a_server(parsed(text))
    return replace(
        STORE,
        claims=_is_database,
        units=units,
        server=lambda _: server,
        heads=lambda tables, _: heads(tables, text),
    )


def _on_a_server(mapping: MappingFile) -> dict[str, tuple[str, ...]]:
    """Without a table of sessions, the messages of a session are what is locked."""
    owner: dict[str, tuple[str, ...]] = {}
    if mapping.session is not None:
        owner[mapping.session.table] = (mapping.session.id,)
    owner[mapping.message.table] = (mapping.message.session,)
    if mapping.summary is not None:
        owner[mapping.summary.table] = (mapping.summary.session,)
    return owner


def _is_database(head: Head) -> bool:
    return head.tables is not None


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """Without a mapping nothing is known of a database."""
    return [Unit(0, NAME, (path,)) for path in paths]


def _units(files: Files, path: str, text: str, name: str) -> list[Unit]:
    """One for each session: a plan guards, skips and applies each on its own. Raises BadMapping
    when the database has not what the mapping names."""
    mapping = parsed(text)
    try:
        with closing(files.sqlite(path)) as database:
            missing = absent(database, mapping)
            sessions = [] if missing else session_ids(database, mapping)
    except (sqlite3.Error, OSError):
        return [Unit(0, NAME, (path,), mapping=text)]  # reading it says what is wrong
    if missing:
        told = [f"{name}:{line_of(text, key) or 1}: {what}" for key, what in missing[:_MOST]]
        raise BadMapping(f"{path} is not what the mapping says\n" + "\n".join(told))
    return [Unit(0, NAME, (path,), session, text) for session in sessions or (None,)]


def read(unit: Unit, files: Files, sink: Sink) -> None:
    alone(_read, unit, files, sink)


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    one_by_one(_read, units, files, sink, live)


def _read(unit: Unit, database: Opened, sink: Sink) -> None:
    with source(unit, sink) as found:
        found.size = database.size
        connection, mapping = database.connection, parsed(unit.mapping or "")
        tables = database.once(partial(tables_of, mapping=mapping), unit.mapping)
        if unit.session is None:
            _read_strays(unit, connection, mapping, sink)
            return
        session = session_of(mapping, stored(connection, mapping, unit.session, tables))
        found.count += len(session.messages)
        fill(unit.index, sink.session_key(), unit.paths[0], session, sink)


def _read_strays(
    unit: Unit, connection: sqlite3.Connection, mapping: MappingFile, sink: Sink
) -> None:
    """Rows that belong to no session: no window and no history has them."""
    for table, key, column, count in of_none(connection, mapping):
        others = ", like another one" if count == 2 else f", like {count - 1:,} others"
        detail = f"{column} is NULL: the row belongs to no session{others if count > 1 else ''}"
        row = row_damage(
            unit.index, unit.paths[0], "bad_shape", detail, fixable=False, table=table, key=key
        )
        sink.add("damage", row)


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
