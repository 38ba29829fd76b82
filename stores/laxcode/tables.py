"""The three tables as they are: rows with all their columns, whatever a writer put into them."""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from suture.model.edit import Value

SESSION = "session"
RAW = "raw_message"
WINDOW = "context_window_message"
COUNTER = "next_msg_seq"
VERSION = "context_compassion_version"  # the field's own spelling

# A window table without a version column holds the current window alone.
_WINDOW_VERSIONS = ("compassion_version", "context_compassion_version", "compaction_version")

NEEDED = {
    SESSION: frozenset({"session_id", COUNTER}),
    RAW: frozenset({"session_id", "seq", "role", "content"}),
    WINDOW: frozenset({"session_id", "seq", "original_seqs"}),
}

Record = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Stored:
    """All rows of one session."""

    id: str
    session: Record | None
    raw: tuple[Record, ...]  # in the order of seq
    window: tuple[Record, ...]  # every version, in the order of version and seq
    version_column: str | None
    columns: Mapping[str, tuple[str, ...]]  # of each table
    by_seq: Mapping[Value, Record]

    @property
    def version(self) -> int | None:
        return integer(self.session.get(VERSION)) if self.session else None

    def version_of(self, row: Record) -> int | None:
        return integer(row[self.version_column]) if self.version_column else self.version

    @property
    def current(self) -> tuple[Record, ...]:
        return tuple(row for row in self.window if self.version_of(row) == self.version)


def session_ids(database: sqlite3.Connection) -> list[str]:
    """Every session that any of the tables names, also one without a row of its own."""
    database.text_factory = text
    union = " UNION ".join(f"SELECT session_id AS id FROM {name}" for name in NEEDED)
    return [str(name) for (name,) in database.execute(f"{union} ORDER BY id") if name is not None]


def stored(database: sqlite3.Connection, session_id: str) -> Stored:
    database.text_factory = text
    columns = {table: _columns(database, table) for table in NEEDED}
    version = next((name for name in _WINDOW_VERSIONS if name in columns[WINDOW]), None)
    by_version = f"{version}, " if version else ""
    heads = list(_rows(database, SESSION, session_id, "rowid"))
    raw = tuple(_rows(database, RAW, session_id, "seq, rowid"))
    return Stored(
        id=session_id,
        session=heads[0] if heads else None,
        raw=raw,
        window=tuple(_rows(database, WINDOW, session_id, f"{by_version}seq, rowid")),
        version_column=version,
        columns=columns,
        by_seq={row["seq"]: row for row in raw},
    )


def _columns(database: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(row[1] for row in database.execute(f"PRAGMA table_info({table})"))


def _rows(
    database: sqlite3.Connection, table: str, session_id: str, order: str
) -> Iterator[Record]:
    sql = f"SELECT * FROM {table} WHERE session_id = ? ORDER BY {order}"
    cursor = database.execute(sql, (session_id,))
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def text(data: bytes) -> str | bytes:
    """TEXT that is not UTF-8 stays bytes: the row is read, and its damage can be told."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def integer(value: Value) -> int | None:
    return value if isinstance(value, int) else None


def string(value: Value) -> str | None:
    return value if isinstance(value, str) else None
