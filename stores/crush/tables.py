"""The two tables as they are, and whether triggers of the database keep the count."""

import re
import sqlite3

from msgspec import Struct

from suture.stores._pieces import Message
from suture.stores._sessions import named_in
from suture.stores._tables import Record, column_names, select
from suture.stores.crush.message import message

_EVENT = re.compile(r"\b(insert|delete)\s+on\b", re.IGNORECASE)
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
    counts: frozenset[str]  # insert, delete: triggers change message_count with such rows

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
        counts=_counts(database),
    )


def _counts(database: sqlite3.Connection) -> frozenset[str]:
    sql = "select sql from sqlite_master where type = 'trigger' and tbl_name = ? collate nocase"
    found = (str(made) for (made,) in database.execute(sql, (MESSAGES,)))
    events = (_EVENT.search(made) for made in found if "message_count" in made)
    return frozenset(event[1].lower() for event in events if event is not None)
