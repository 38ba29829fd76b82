"""The sessions of a database, in the order that their keys are given in."""

import sqlite3
from collections.abc import Iterator, Sequence

from suture.stores.openai_agents.tables import Stored, Tables, all_tables, session_ids, stored


def names(database: sqlite3.Connection) -> list[str]:
    found = {name for tables in all_tables(database) for name in session_ids(database, tables)}
    return sorted(found)


def sessions(
    database: sqlite3.Connection, name: str | None, known: Sequence[Tables] | None = None
) -> Iterator[Stored]:
    """All of them, or the one of that name: each pair of tables may have one."""
    for tables in all_tables(database) if known is None else known:
        for session in session_ids(database, tables) if name is None else (name,):
            found = stored(database, tables, session)
            if found.head is not None or found.messages:
                yield found
