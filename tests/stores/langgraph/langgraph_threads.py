"""Small databases of checkpoints, written without the library, and what the store says of them."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from suture.model.rows import TABLES
from suture.model.unit import Unit
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.langgraph import STORE

Tables = Mapping[str, list[dict[str, Any]]]
_SCHEMA = """
create table checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB,
  metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
create table writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL,
  channel TEXT NOT NULL, type TEXT, value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
"""
packed = msgspec.msgpack.encode


def extension(code: int, *inner: Any) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, packed(list(inner)))


def said(name: str, key: str, content: Any = "words", **more: Any) -> msgspec.msgpack.Ext:
    kwargs = {"content": content, "id": key, **more}
    module = f"langchain_core.messages.{name.removesuffix('Message').lower()}"
    return extension(5, module, name, kwargs, "model_validate_json")


def human(key: str) -> msgspec.msgpack.Ext:
    return said("HumanMessage", key, type="human")


def ai(key: str, *calls: str) -> msgspec.msgpack.Ext:
    made = [{"name": "deploy", "args": {}, "id": call, "type": "tool_call"} for call in calls]
    return said("AIMessage", key, type="ai", tool_calls=made)


def tool(key: str, call: str) -> msgspec.msgpack.Ext:
    return said("ToolMessage", key, type="tool", tool_call_id=call, status="success")


def state(*messages: Any, **channels: Any) -> bytes:
    values = {"messages": list(messages), **channels}
    return packed({"v": 4, "ts": "2026-03-02T09:00:00+00:00", "channel_values": values})


def checkpoint(number: int, blob: bytes, kind: str = "msgpack", space: str = "") -> Sequence[Any]:
    parent = f"c{number - 1}" if number > 1 else None
    return "t", space, f"c{number}", parent, kind, blob, b'{"source":"loop"}'


def write(number: int, channel: str, value: Any, idx: int = 0) -> Sequence[Any]:
    return "t", "", f"c{number}", f"task-{channel}", idx, channel, "msgpack", packed(value)


def tables(
    folder: Path,
    checkpoints: Sequence[Sequence[Any]],
    writes: Sequence[Sequence[Any]] = (),
    full: bool = False,
) -> Tables:
    path = folder / "threads.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(_SCHEMA)
        database.executemany("insert into checkpoints values (?,?,?,?,?,?,?)", checkpoints)
        database.executemany("insert into writes values (?,?,?,?,?,?,?,?)", writes)
        database.commit()
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    disk = DiskFiles()
    try:
        sink = Sink(full)
        sink.start(0, None)
        STORE.read(Unit(0, "langgraph", (str(path),), "t"), disk, sink)
        for name, table in sink.tables():
            found[name] += table.to_pylist()
    finally:
        disk.close()
    return found
