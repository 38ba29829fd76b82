"""The tables as they are: checkpoints of a thread, what was written on top of each, and on
PostgreSQL the values of channels, which checkpoints share."""

import sqlite3
from collections.abc import Mapping

from msgspec import Struct, field

from suture.model.address import POSTGRESQL
from suture.model.edit import Value
from suture.stores._tables import Record, column_names, encoded, select, text

CHECKPOINTS, BLOBS, MIGRATIONS = "checkpoints", "checkpoint_blobs", "checkpoint_migrations"
NAME = "langgraph"
_PLACE = ("thread_id", "checkpoint_ns", "checkpoint_id")
_WRITTEN = frozenset({*_PLACE, "task_id", "idx", "channel"})
_CHECKPOINT = frozenset({*_PLACE, "parent_checkpoint_id", "checkpoint"})
_BLOB = ("thread_id", "checkpoint_ns", "channel", "version")


class Layout(Struct, frozen=True):
    """How a saver lays out its tables."""

    variant: str
    writes: str  # the table of writes
    value: str  # its column for what was written
    shared: bool  # the values of channels lie in a table of their own


SQLITE = Layout("sqlite", "writes", "value", shared=False)
POSTGRES = Layout("postgres", "checkpoint_writes", "blob", shared=True)


class Stored(Struct, frozen=True):
    """One namespace of a thread: the graph itself, or a graph inside it."""

    layout: Layout
    thread: str
    namespace: str
    checkpoints: tuple[Record, ...]  # their ids sort by time: the last one is the newest
    writes: tuple[Record, ...]
    blobs: Mapping[tuple[str, str], Record] = field(default_factory=dict)  # by channel and version

    @property
    def id(self) -> str:
        return f"{self.thread}#{self.namespace}" if self.namespace else self.thread


def shaped(columns: Mapping[str, frozenset[str]], path: str = "") -> bool:
    """PostgreSQL's tables are known on a server alone: a copy of them in a file is nobody's."""
    if not columns.get(CHECKPOINTS, frozenset()) >= _CHECKPOINT:
        return False
    if path.startswith(f"{POSTGRESQL}://"):
        return columns.get(POSTGRES.writes, frozenset()) >= _WRITTEN and columns.get(
            BLOBS, frozenset()
        ) >= frozenset(_BLOB)
    return columns.get(SQLITE.writes, frozenset()) >= _WRITTEN


def on_server(columns: Mapping[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    own = dict.fromkeys((CHECKPOINTS, BLOBS, POSTGRES.writes), ("thread_id",))
    return {**own, MIGRATIONS: ()}


def layout(database: sqlite3.Connection) -> Layout:
    return POSTGRES if column_names(database, POSTGRES.writes) else SQLITE


def row_key(table: str, row: Record) -> str:
    names: tuple[str, ...] = _PLACE
    if table != CHECKPOINTS:
        names = _BLOB if table == BLOBS else (*_PLACE, "task_id", "idx")
    return encoded({name: row[name] for name in names})


def threads(database: sqlite3.Connection) -> list[str]:
    """Blobs without a checkpoint are no thread: no load asks for them."""
    database.text_factory = text
    tables = (CHECKPOINTS, layout(database).writes)
    union = " union ".join(f"select thread_id as id from {table}" for table in tables)
    return [str(name) for (name,) in database.execute(f"{union} order by id") if name is not None]


def stored(database: sqlite3.Connection, thread: str) -> list[Stored]:
    own: dict[str, Value] = {"thread_id": thread}
    used = layout(database)
    checkpoints = list(select(database, CHECKPOINTS, own, "checkpoint_ns, checkpoint_id"))
    path = "task_path, " if "task_path" in column_names(database, used.writes) else ""
    writes = list(
        select(database, used.writes, own, f"checkpoint_ns, checkpoint_id, {path}task_id, idx")
    )
    order = "checkpoint_ns, channel, version"
    blobs = list(select(database, BLOBS, own, order)) if used.shared else []
    spaces = dict.fromkeys(str(row["checkpoint_ns"]) for row in (*checkpoints, *writes))
    return [
        Stored(
            used,
            thread,
            space,
            tuple(row for row in checkpoints if str(row["checkpoint_ns"]) == space),
            tuple(row for row in writes if str(row["checkpoint_ns"]) == space),
            {
                (str(row["channel"]), str(row["version"])): row
                for row in blobs
                if str(row["checkpoint_ns"]) == space
            },
        )
        for space in sorted(spaces)
    ]
