"""The session of a unit."""

import sqlite3
from collections.abc import Iterator

from suture.stores.google_adk.tables import Stored, session_keys, stored


def sessions(database: sqlite3.Connection, name: str) -> Iterator[Stored]:
    key = session_keys(database).get(name)
    if key is not None:
        yield stored(database, name, key)
