"""The four tables as they are, and which of the services of ADK wrote them."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from operator import eq

from msgspec import Struct

from suture.model.edit import Value
from suture.stores._tables import (
    Record,
    column_names,
    encoded,
    has_columns,
    in_quotes,
    select,
    selected,
    text,
)

SESSIONS, EVENTS, APPS, USERS = "sessions", "events", "app_states", "user_states"
METADATA = "adk_internal_metadata"
V0, V1, SERVICE = "v0", "v1", "sqlite-service"

NEEDED = {
    SESSIONS: frozenset({"app_name", "user_id", "id", "state", "update_time"}),
    EVENTS: frozenset({"id", "app_name", "user_id", "session_id", "invocation_id", "timestamp"}),
}

Key = tuple[str, str, str]  # app, user, id
_NO_OBJECT = "json_type(iif(json_valid(state), state, 'null')) <> 'object'"
_OWNER = ("app_name", "user_id", "session_id")  # of an event


class Stored(Struct, frozen=True, dict=True):
    """All rows of one session."""

    variant: str  # v0: events with pickles | v1: JSON, times as text | sqlite-service: as numbers
    id: str  # the id alone, unless other users or apps have it too
    key: Key
    head: Record | None
    names: Sequence[str]  # of the columns of the events
    rows: Sequence[tuple[Value, ...]]  # the events in the order in which they are loaded

    @cached_property
    def events(self) -> tuple[Record, ...]:
        return tuple(dict(zip(self.names, row, strict=True)) for row in self.rows)

    @cached_property
    def _columns(self) -> Mapping[str, Sequence[Value]]:
        return dict(zip(self.names, zip(*self.rows, strict=True), strict=True)) if self.rows else {}

    def column(self, name: str) -> Sequence[Value]:
        """Of the events; NULL where there is no such column."""
        return self._columns.get(name) or [None] * len(self.rows)

    @property
    def head_key(self) -> dict[str, Value]:
        app, user, name = self.key
        return {"app_name": app, "user_id": user, "id": name}


def shaped(tables: Mapping[str, frozenset[str]]) -> bool:
    kept = tables.get(EVENTS, frozenset()) & {"event_data", "actions"}
    return bool(kept) and has_columns(tables, NEEDED)


def variant(database: sqlite3.Connection) -> str:
    """As the services find out: what the metadata says, else what the columns are."""
    stated = stated_version(database)
    if stated is not None:
        return V0 if stated == "0" else V1
    if "event_data" not in column_names(database, EVENTS):
        return V0
    sql = "select type from pragma_table_info('events') where name = 'timestamp'"
    (declared,) = database.execute(sql).fetchone()
    return SERVICE if declared in ("REAL", b"REAL") else V1


def stated_version(database: sqlite3.Connection) -> str | None:
    """Of the schema, as the metadata name it."""
    if not column_names(database, METADATA):
        return None
    sql = f"select value from {METADATA} where key = 'schema_version'"
    found = database.execute(sql).fetchone()
    if found is None:
        return None
    (value,) = found
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def session_keys(database: sqlite3.Connection) -> dict[str, Key]:
    """Every session that the sessions or the events name, by the id that tells it."""
    database.text_factory = text
    rows = database.execute(
        f"select app_name, user_id, id from {SESSIONS} union select * from "  # by their index
        f"(select distinct app_name, user_id, session_id from {EVENTS}) order by 3, 1, 2"
    )
    keys = [(str(app), str(user), str(name)) for app, user, name in rows]
    names = [name for _, _, name in keys]
    shared = {name for name, after in pairwise(names) if name == after}
    return {"/".join(key) if key[2] in shared else key[2]: key for key in keys}


def stored(database: sqlite3.Connection, name: str, key: Key, kind: str | None = None) -> Stored:
    app, user, session = key
    kind = kind or variant(database)
    owner: dict[str, Value] = {"app_name": app, "user_id": user}
    heads = list(select(database, SESSIONS, {**owner, "id": session}, "rowid"))
    names, rows = _events(database, {**owner, "session_id": session}, kind)
    return Stored(kind, name, key, heads[0] if heads else None, names, rows)


def _events(
    database: sqlite3.Connection, where: Mapping[str, Value], kind: str
) -> tuple[Sequence[str], Sequence[tuple[Value, ...]]]:
    if kind == SERVICE:
        return selected(database, EVENTS, where, "timestamp, rowid")
    names, rows = selected(database, EVENTS, where, "timestamp")  # as the index has them
    at = names.index("timestamp")
    times = [row[at] for row in rows]
    if any(map(eq, times, times[1:])):
        return selected(database, EVENTS, where, "timestamp, id")
    return names, rows


def event_key(row: Record) -> dict[str, Value]:
    return {name: row[name] for name in (*_OWNER, "id")}


def event_places(stored: Stored) -> list[str]:
    """The keys as JSON, as `encoded` writes them: all but the id is the same for all events."""
    owner = {name: stored.column(name) for name in _OWNER}
    ids = stored.column("id")
    kinds = set(map(type, chain(*owner.values(), ids)))
    if kinds != {str} or any(values.count(values[0]) < len(ids) for values in owner.values()):
        return [encoded(event_key(row)) for row in stored.events]
    start = encoded({name: values[0] for name, values in owner.items()})[:-1]
    return [f'{start},"id":{in_quotes(str(name))}}}' for name in ids]


def missing_states(database: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Value]]]:
    """Rows without which DatabaseSessionService refuses every append: table and key."""
    if variant(database) == SERVICE:  # makes them when it needs them
        return
    for table, names in ((APPS, "app_name"), (USERS, "app_name, user_id")):
        if not column_names(database, table):
            continue
        # events whose session has lost its row count: once it is made again, it needs them
        used = " union ".join(
            f"select {names} from {one}"
            for one in (SESSIONS, EVENTS)
            if one == SESSIONS or {"app_name", "user_id"} <= set(column_names(database, one))
        )
        rows = database.execute(
            f"select {names} from ({used}) except select {names} from {table} order by {names}"
        )
        for row in rows:
            yield table, dict(zip(names.split(", "), row, strict=True))


def odd_states(database: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Value], Record]]:
    """Rows of users and applications whose state may be no JSON: table, key and row."""
    for table, names in ((APPS, _OWNER[:1]), (USERS, _OWNER[:2])):
        if {*names, "state"} <= set(column_names(database, table)):
            listed = ", ".join((*names, "state"))
            sql = f"select {listed} from {table} where {_NO_OBJECT} order by {', '.join(names)}"
            for *key, state in database.execute(sql):
                yield table, dict(zip(names, key, strict=True)), {"state": state}


def state_key(table: str, key: Mapping[str, Value]) -> str:
    return f"{table} {encoded(dict(key))}"
