"""The two tables as they are, messages in the order in which they are loaded."""

import sqlite3

from msgspec import Struct

from suture.stores._pieces import Message
from suture.stores._sessions import named_in
from suture.stores._tables import Record, column_names, select
from suture.stores._times import microseconds
from suture.stores.goose.message import message

SESSIONS, MESSAGES, VERSION = "sessions", "messages", "schema_version"
NEEDED = {
    SESSIONS: frozenset({"id", "working_dir", "extension_data"}),
    MESSAGES: frozenset({"id", "session_id", "role", "content_json", "created_timestamp"}),
}


class Stored(Struct, frozen=True):
    """All rows of one session."""

    id: str
    head: Record | None
    messages: tuple[Message, ...]
    columns: tuple[str, ...]  # of messages
    version: str | None  # of the schema


def session_ids(database: sqlite3.Connection) -> list[str]:
    return named_in(database, SESSIONS, MESSAGES)


def stored(database: sqlite3.Connection, session: str) -> Stored:
    heads = list(select(database, SESSIONS, {"id": session}, "rowid"))
    rows = select(database, MESSAGES, {"session_id": session}, "id")
    return Stored(
        id=session,
        head=heads[0] if heads else None,
        # older releases wrote seconds, newer ones milliseconds: both in one session
        messages=tuple(message(row) for row in sorted(rows, key=_moment)),
        columns=column_names(database, MESSAGES),
        version=_version(database),
    )


def _moment(row: Record) -> int:
    found = microseconds(row["created_timestamp"])
    return found if found is not None else -1


def _version(database: sqlite3.Connection) -> str | None:
    if "version" not in column_names(database, VERSION):
        return None
    (found,) = database.execute(f"select max(version) from {VERSION}").fetchone()
    return None if found is None else str(found)
