"""One session with its rows as they are stored: what a repair compares with and copies."""

import sqlite3
from collections.abc import Mapping, Sequence

from msgspec import Struct

from suture.model.edit import Value
from suture.stores._tables import Record, select
from suture.stores.laxcode.lines import lines
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.shape import ORIGINAL, Shape


class Stored(Struct, frozen=True):
    shape: Shape
    session: Session
    raw: Sequence[Record]  # beside session.raw
    window: Sequence[Record]  # beside session.entries
    messages: Mapping[Value, Record]  # variant A: what the links name

    @property
    def current(self) -> list[Record]:
        """Beside session.current."""
        pairs = zip(self.session.entries, self.window, strict=True)
        return [row for entry, row in pairs if entry.version == self.session.version]


def stored(database: sqlite3.Connection, shape: Shape, name: str) -> Stored:
    (found,) = lines(database, shape, [name])
    session = Session(shape, found, exact=True)
    if shape.shared:
        order = "session_id, message_type, memory_generation, seq"
        rows = list(select(database, shape.raw, {"session_id": name}, order))
        raw = [row for row in rows if row["message_type"] == ORIGINAL]
        window = [row for row in rows if row["message_type"] != ORIGINAL]
        return Stored(shape, session, raw, window, {})
    if shape.linked:
        messages = list(select(database, shape.raw, {"session_id": name}, "seq, rowid"))
        links = list(select(database, shape.window, {"session_id": name}, "position"))
        raw = [row for row in messages if row["message_kind"] == ORIGINAL]
        return Stored(shape, session, raw, links, {row["message_id"]: row for row in messages})
    version = f'"{shape.row_version}", ' if shape.row_version else ""
    raw = list(select(database, shape.raw, {"session_id": name}, "seq, rowid"))
    by_version = f"{version}seq, rowid"
    window = list(select(database, shape.window, {"session_id": name}, by_version))
    return Stored(shape, session, raw, window, {})
