"""The two tables as they are, and whether triggers of the database keep the count."""

import sqlite3

from msgspec import Struct

from suture.stores._pieces import Message
from suture.stores._sessions import named_in
from suture.stores._tables import Record, column_names, select
from suture.stores.crush.message import message

SESSIONS, MESSAGES = "sessions", "messages"
NEEDED = {
    SESSIONS: frozenset({"id", "parent_session_id", "title", "message_count", "cost"}),
    MESSAGES: frozenset({"id", "session_id", "role", "parts", "created_at", "finished_at"}),
}


class Stored(Struct, frozen=True):
    """All rows of one session."""

    id: str
    head: Record | None
    messages: tuple[Message, ...]  # in the order in which they are loaded
    columns: tuple[str, ...]  # of messages
    head_columns: tuple[str, ...]
    counted: bool  # triggers change message_count with each row

    @property
    def summary_id(self) -> str | None:
        found = self.head.get("summary_message_id") if self.head else None
        return found if isinstance(found, str) and found else None

    @property
    def summary(self) -> int | None:
        ids = (n for n, one in enumerate(self.messages) if one.row["id"] == self.summary_id)
        return next(ids, None)


def session_ids(database: sqlite3.Connection) -> list[str]:
    return named_in(database, SESSIONS, MESSAGES)


def stored(database: sqlite3.Connection, session: str) -> Stored:
    heads = list(select(database, SESSIONS, {"id": session}, "rowid"))
    # whole seconds are the order; rows of one second come as they were written
    rows = select(database, MESSAGES, {"session_id": session}, "created_at, rowid")
    return Stored(
        id=session,
        head=heads[0] if heads else None,
        messages=tuple(message(row) for row in rows),
        columns=column_names(database, MESSAGES),
        head_columns=column_names(database, SESSIONS),
        counted=_counted(database),
    )


def _counted(database: sqlite3.Connection) -> bool:
    sql = "select sql from sqlite_master where type = 'trigger' and tbl_name = ? collate nocase"
    return any("message_count" in str(found) for (found,) in database.execute(sql, (MESSAGES,)))
