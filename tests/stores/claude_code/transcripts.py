"""Small transcripts written for the tests, and what the store makes of them."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from suture.model.edit import Copy, SpanEdit
from suture.model.operation import Operation
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.claude_code import STORE

SESSION = "5a7c0000-0000-4000-8000-000000000001"
Json = dict[str, Any]


def uid(name: str) -> str:
    """The uuid of a record that a test calls by a short name."""
    return str(uuid5(NAMESPACE_URL, name))


def line(kind: str, name: str, parent: str | None, second: int, **more: Any) -> Json:
    """A link of the chain. `parent` is a short name; None is a root."""
    return {
        "parentUuid": None if parent is None else uid(parent),
        "isSidechain": False,
        "type": kind,
        "uuid": uid(name),
        "timestamp": f"2026-03-02T09:{second // 60:02d}:{second % 60:02d}.000Z",
        "userType": "external",
        "cwd": "/home/dev/shop",
        "sessionId": SESSION,
        "version": "2.1.197",
        "gitBranch": "main",
        **more,
    }


def prompt(name: str, parent: str | None, second: int, text: str = "go on", **more: Any) -> Json:
    content = {"role": "user", "content": text}
    return line("user", name, parent, second, promptId=f"p-{name}", message=content, **more)


def assistant(
    name: str, parent: str, second: int, response: str, *blocks: Json, **more: Any
) -> Json:
    message = {
        "model": "claude-opus-4-8",
        "id": response,
        "type": "message",
        "role": "assistant",
        "content": list(blocks),
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 5},
    }
    return line("assistant", name, parent, second, message=message | more)


def reply(name: str, parent: str, second: int, text: str = "done") -> Json:
    block = {"type": "text", "text": text}
    return assistant(name, parent, second, f"msg_{name}", block, stop_reason="end_turn")


def call(
    name: str, parent: str, second: int, call_id: str, response: str, tool: str = "Bash"
) -> Json:
    return assistant(name, parent, second, response, tool_use(call_id, tool))


def tool_use(call_id: str, tool: str = "Bash") -> Json:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": {"command": "make"}}


def result(
    name: str, parent: str, second: int, call_id: str, text: str = "ok", **more: Any
) -> Json:
    block = {"tool_use_id": call_id, "type": "tool_result", "content": text, "is_error": False}
    message = {"role": "user", "content": [block]}
    return line(
        "user", name, parent, second, message=message, sourceToolAssistantUUID=uid(parent), **more
    )


def boundary(name: str, logical: str, second: int, **metadata: Any) -> Json:
    more = {"trigger": "auto", "preTokens": 1000, **metadata}
    return line(
        "system", name, None, second, subtype="compact_boundary", content="compacted",
        logicalParentUuid=uid(logical), compactMetadata=more,
    )  # fmt: skip


def last_prompt(leaf: str) -> Json:
    return {"type": "last-prompt", "lastPrompt": "go", "leafUuid": uid(leaf), "sessionId": SESSION}


def dump(*values: Json | bytes) -> bytes:
    """Lines as the client writes them; bytes stand for themselves."""
    return b"".join(
        value
        if isinstance(value, bytes)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for value in values
    )


def write(folder: Path, *values: Json | bytes, name: str = f"{SESSION}.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dump(*values))
    return path


def read(*paths: Path, full: bool = False) -> dict[str, list[Json]]:
    """The rows of every unit of these files."""
    rows: dict[str, list[Json]] = {}
    with closing(DiskFiles()) as files:
        sink = Sink(full)
        for index, unit in enumerate(STORE.units(files, [str(path) for path in paths])):
            sink.start(index, None)
            STORE.read(unit, files, sink)
        for name, table in sink.tables():
            rows.setdefault(name, []).extend(table.to_pylist())
    return rows


def units(*paths: Path) -> list[tuple[str, ...]]:
    """The paths of each unit."""
    with closing(DiskFiles()) as files:
        return [unit.paths for unit in STORE.units(files, [str(path) for path in paths])]


def live(path: Path) -> list[int]:
    return [row["n"] for row in read(path)["record"] if row["on_chain"]]


def sent(path: Path) -> list[int]:
    return [row["n"] for row in read(path)["record"] if row["sent"]]


def repaired(path: Path, *operations: Operation) -> bytes:
    """The bytes of the file after the edits of these operations."""
    with closing(DiskFiles()) as files:
        (unit,) = STORE.units(files, [str(path)])
        made = STORE.edits(unit, files, operations)
    assert len(made) == len(operations)
    edits = [edit for translated in made for edit in translated.edits]
    spans = [edit for edit in edits if isinstance(edit, SpanEdit)]
    assert len(spans) == len(edits)
    return patched(path.read_bytes(), spans)


def patched(data: bytes, spans: Sequence[SpanEdit]) -> bytes:
    after = data
    for edit in sorted(spans, key=lambda e: (e.offset, e.length), reverse=True):
        parts = [
            data[p.offset : p.offset + p.length] if isinstance(p, Copy) else p for p in edit.after
        ]
        after = after[: edit.offset] + b"".join(parts) + after[edit.offset + edit.length :]
    return after


def records(data: bytes) -> list[Json]:
    return [json.loads(text) for text in data.split(b"\n") if text.strip()]


def plain_walk(data: bytes) -> list[str]:
    """Uuids from the root to the last conversation line, by parent links alone."""
    found = {r["uuid"]: r for r in records(data) if "uuid" in r}
    at = [u for u, r in found.items() if r["type"] in ("user", "assistant")][-1]
    path: list[str] = []
    while at in found and at not in path:
        path.append(at)
        at = found[at]["parentUuid"]
    return path[::-1]


def leaves(path: Path, data: bytes) -> set[str]:
    """What the leaf rules name after a repair."""
    path.write_bytes(data)
    return {r["value"] for r in read(path)["state_kv"] if r["scope"] == "leaf"}
