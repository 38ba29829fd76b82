"""The two tables as they are: the checkpoints of a thread, and what was written on top of each."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from suture.model.edit import Value
from suture.stores._tables import Record, encoded, select, text

CHECKPOINTS = "checkpoints"
WRITES = "writes"
NAME = "langgraph"
_SHAPE = {
    CHECKPOINTS: frozenset(
        {"thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "checkpoint"}
    ),
    WRITES: frozenset({"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel"}),
}
_KEYS = {
    CHECKPOINTS: ("thread_id", "checkpoint_ns", "checkpoint_id"),
    WRITES: ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"),
}


@dataclass(frozen=True, slots=True)
class Stored:
    """One namespace of a thread: the graph itself, or a graph inside it."""

    thread: str
    namespace: str
    checkpoints: tuple[Record, ...]  # their ids sort by time: the last one is the newest
    writes: tuple[Record, ...]

    @property
    def id(self) -> str:
        return f"{self.thread}#{self.namespace}" if self.namespace else self.thread


def shaped(columns: Mapping[str, frozenset[str]]) -> bool:
    return all(columns.get(table, frozenset()) >= names for table, names in _SHAPE.items())


def row_key(table: str, row: Record) -> str:
    return encoded({name: row[name] for name in _KEYS[table]})


def threads(database: sqlite3.Connection) -> list[str]:
    database.text_factory = text
    union = " union ".join(f"select thread_id as id from {table}" for table in _KEYS)
    return [str(name) for (name,) in database.execute(f"{union} order by id") if name is not None]


def stored(database: sqlite3.Connection, thread: str) -> list[Stored]:
    own: dict[str, Value] = {"thread_id": thread}
    checkpoints = list(select(database, CHECKPOINTS, own, "checkpoint_ns, checkpoint_id"))
    path = "task_path, " if _has_path(database) else ""
    writes = list(
        select(database, WRITES, own, f"checkpoint_ns, checkpoint_id, {path}task_id, idx")
    )
    spaces = dict.fromkeys(str(row["checkpoint_ns"]) for row in (*checkpoints, *writes))
    return [
        Stored(
            thread,
            space,
            tuple(row for row in checkpoints if str(row["checkpoint_ns"]) == space),
            tuple(row for row in writes if str(row["checkpoint_ns"]) == space),
        )
        for space in sorted(spaces)
    ]


def _has_path(database: sqlite3.Connection) -> bool:
    rows = database.execute("select name from pragma_table_info(?)", (WRITES,))
    return any(name == "task_path" for (name,) in rows)
