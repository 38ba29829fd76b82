"""Small logs, and what the store says of them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from suture.model.operation import Operation
from suture.model.rows import TABLES
from suture.model.unit import Unit
from suture.repair.overlay import Overlay
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.eventlog import STORE
from suture.stores.eventlog.writer import NewEvent, Tail, append_lines

SESSION = "session-1"
Row = Mapping[str, Any]
Tables = Mapping[str, list[dict[str, Any]]]


def at(second: int) -> str:
    return f"2026-03-02T09:{second // 60:02d}:{second % 60:02d}.000Z"


def events(*typed: tuple[str, Mapping[str, Any]]) -> list[NewEvent]:
    return [NewEvent(kind, payload, at(n)) for n, (kind, payload) in enumerate(typed)]


def created(session: str = SESSION, **more: Any) -> tuple[str, dict[str, Any]]:
    return "session.created", {"session_id": session, "created_at": at(0), **more}


def message(number: int, role: str = "user", content: Any = "go on") -> tuple[str, dict[str, Any]]:
    name = f"msg-{number}"
    return "message.appended", {
        "message_id": name,
        "role": role,
        "content": content,
        "status": "complete",
    }


def proposed(call: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "tool.proposed", {"call_id": call, "name": "deploy", "arguments": {"n": 1}, **more}


def on_call(what: str, call: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return f"tool.{what}", {"call_id": call, **more}


def finished(call: str, status: str = "ok", result: Any = "done") -> tuple[str, dict[str, Any]]:
    return on_call("finished", call, status=status, result=result)


def log(*typed: tuple[str, Mapping[str, Any]], chained: bool = True) -> bytes:
    return append_lines(events(*typed), Tail(SESSION, chained=chained))


OPEN: list["Desk"] = []  # closed after each test


class Desk:
    """A log on disk with edits laid over it, as a plan would."""

    def __init__(self, folder: Path, data: bytes) -> None:
        self.path = folder / "log.jsonl"
        self.path.write_bytes(data)
        self.disk = DiskFiles()
        self.files = Overlay(self.disk)
        self.unit = Unit(0, "eventlog", (str(self.path),))
        OPEN.append(self)

    def close(self) -> None:
        self.files.close()
        self.disk.close()

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
        """Lay the edits of one round over the log; returns the cache classes."""
        made = STORE.edits(self.unit, self.files, operations)
        assert len(made) == len(operations)
        self.files.add([(edit, 1) for translated in made for edit in translated.edits])
        return [translated.cache_class for translated in made]


def hashes_hold(records: Sequence[Row]) -> bool:
    chained = [r for r in records if r["chain_hash"] is not None]
    linked = all(later["prev"] == earlier["chain_hash"] for earlier, later in pairwise(chained))
    return linked and all(
        r["hash"] == r["computed"] and r["chain_hash"] == r["chain_computed"] for r in records
    )
