"""Google ADK: sessions of DatabaseSessionService and SqliteSessionService in SQLite."""

import sqlite3
from collections.abc import Iterator, Sequence

from suture.model.files import Files, Writer
from suture.model.rows import DamageRow
from suture.model.unit import Unit
from suture.stores._opened import Opened, alone, one_by_one
from suture.stores._sessions import one_each, source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores._tables import encoded, row_damage
from suture.stores.google_adk.event import state_problems
from suture.stores.google_adk.sessions import keys
from suture.stores.google_adk.tables import (
    APPS,
    EVENTS,
    METADATA,
    SESSIONS,
    USERS,
    V0,
    missing_states,
    odd_states,
    shaped,
    stored,
    variant,
)
from suture.stores.google_adk.view import fill

_OWNER = ("app_name", "user_id")


def claims(head: Head) -> bool:
    return head.tables is not None and shaped(head.tables)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session, and one for the state that sessions share."""
    return one_each("google-adk", lambda database: [None, *keys(database)], files, paths)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    alone(_read, unit, files, sink)


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    one_by_one(_read, units, files, sink, live)


def _read(unit: Unit, database: Opened, sink: Sink) -> None:
    path = unit.paths[0]
    with source(unit, sink) as found:
        if unit.session is None:
            found.size = database.size
            for row in _shared(database.connection, unit.index, path):
                sink.add("damage", row)
        elif (key := database.once(keys).get(unit.session)) is not None:
            kind = database.once(variant)
            kept = stored(database.connection, unit.session, key, kind)
            found.count = len(kept.rows)
            fill(unit.index, sink.session_key(), path, kept, sink)


def _shared(database: sqlite3.Connection, unit: int, path: str) -> Iterator[DamageRow]:
    fixable = variant(database) != V0
    for table, key in missing_states(database):
        yield row_damage(
            unit,
            path,
            "state_row",
            f"{table} has no row for {', '.join(map(str, key.values()))}",
            table=table,
            key=encoded(key),
            fixable=fixable,
        )
    for table, key, row in odd_states(database):
        for problem in state_problems(row):
            yield row_damage(
                unit,
                path,
                problem.kind,
                problem.detail,
                field=problem.field,
                fixable=False,
                table=table,
                key=encoded(key),
            )


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])


SERVER = {
    SESSIONS: (*_OWNER, "id"),
    EVENTS: (*_OWNER, "session_id"),
    APPS: (),
    USERS: (),
    METADATA: (),
}
