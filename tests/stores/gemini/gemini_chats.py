"""Small chats, and what the store says of them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from suture.model.operation import Operation
from suture.model.rows import TABLES
from suture.model.unit import Unit
from suture.repair.overlay import Overlay
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.gemini import STORE

Tables = Mapping[str, list[dict[str, Any]]]
HEADER = {
    "sessionId": "5b0c1f52-0000-4000-8000-000000000001",
    "projectHash": "ab" * 32,
    "startTime": "2026-03-02T09:00:00.000Z",
    "lastUpdated": "2026-03-02T09:00:00.000Z",
    "kind": "main",
}


def message(number: int, kind: str = "user", text: Any = "go on", **more: Any) -> dict[str, Any]:
    time = f"2026-03-02T09:00:{number:02d}.000Z"
    return {"id": f"m{number}", "timestamp": time, "type": kind, "content": text, **more}


def call(number: int, status: str | None = "executing", **more: Any) -> dict[str, Any]:
    made = {"id": f"c{number}", "name": "deploy", "args": {"to": "live"}, **more}
    return made if status is None else {**made, "status": status}


def reply(number: int, *calls: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return message(number, "gemini", "", toolCalls=list(calls), **more)


def chat(*lines: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


class Desk:
    """A chat on disk with edits laid over it, as a plan would."""

    def __init__(self, path: Path, disk: DiskFiles, files: Overlay) -> None:
        self.path, self.disk, self.files = path, disk, files
        self.unit = Unit(0, "gemini", (str(path),))

    @property
    def data(self) -> bytes:
        return bytes(self.files.data(str(self.path)))

    def tables(self, full: bool = False) -> Tables:
        sink = Sink(full)
        sink.start(0, None)
        STORE.read(self.unit, self.files, sink)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        for name, table in sink.tables():
            found[name] += table.to_pylist()
        return found

    def repair(self, *operations: Operation) -> list[str]:
        """Lay the edits of one round over the chat; returns the cache classes."""
        made = STORE.edits(self.unit, self.files, operations)
        assert len(made) == len(operations)
        self.files.add([(edit, 1) for translated in made for edit in translated.edits])
        return [translated.cache_class for translated in made]


@contextmanager
def desk(folder: Path, data: bytes, name: str = "session-1.jsonl") -> Iterator[Desk]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    disk = DiskFiles()
    files = Overlay(disk)
    try:
        yield Desk(path, disk, files)
    finally:
        files.close()
        disk.close()
