"""The session of a unit."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from suture.stores.google_adk.tables import Key, Stored, session_keys, stored

State = tuple[tuple[int, int], ...]

# Of the database that was asked last: thousands of units ask the same one.
_known: dict[str, tuple[State, dict[str, Key]]] = {}


def sessions(database: sqlite3.Connection, name: str) -> Iterator[Stored]:
    key = keys(database).get(name)
    if key is not None:
        yield stored(database, name, key)


def keys(database: sqlite3.Connection) -> dict[str, Key]:
    (path,) = (str(row[2]) for row in database.execute("pragma database_list") if row[0] == 0)
    state = tuple(_look(Path(path + side)) for side in ("", "-wal"))
    if path not in _known or _known[path][0] != state:
        _known.clear()
        _known[path] = state, session_keys(database)
    return _known[path][1]


def _look(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
