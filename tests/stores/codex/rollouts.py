"""Small rollouts written for the tests, and what the store makes of them."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from suture.model.edit import Copy, SpanEdit
from suture.model.operation import Operation
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.codex import STORE

THREAD = "019c0000-0000-7000-8000-000000000001"
NAME = f"rollout-2026-03-02T09-00-00-{THREAD}.jsonl"
Json = dict[str, Any]


def meta(**more: Any) -> tuple[str, Json]:
    return "session_meta", {
        "id": THREAD,
        "timestamp": "2026-03-02T09:00:00.000Z",
        "cwd": "/home/dev/orchard",
        "originator": "codex_exec",
        "cli_version": "0.171.0",
        "model_provider": "openai",
        **more,
    }


def start(turn: str) -> tuple[str, Json]:
    return "event_msg", {"type": "task_started", "turn_id": turn}


def complete(turn: str) -> tuple[str, Json]:
    return "event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": "done"}


def message(role: str, text: str) -> tuple[str, Json]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return "response_item", {"type": "message", "role": role, "content": content}


def call(call_id: str, name: str = "exec_command", **more: Any) -> tuple[str, Json]:
    arguments = '{"cmd": "make deploy"}'
    payload = {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}
    return "response_item", payload | more


def output(call_id: str, text: str = "ok") -> tuple[str, Json]:
    return "response_item", {"type": "function_call_output", "call_id": call_id, "output": text}


def command_done(call_id: str, text: str = "deployed") -> tuple[str, Json]:
    item = {
        "type": "CommandExecution",
        "id": call_id,
        "status": "completed",
        "aggregated_output": text,
        "exit_code": 0,
    }
    return "event_msg", {"type": "item_completed", "thread_id": THREAD, "item": item}


def usage(response: str) -> tuple[str, Json]:
    tokens = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7}
    filler = {"turn_token_usage": {f"key_{i}": i for i in range(60)}}  # real ones have 800 bytes
    return "token_usage_record", {"response_id": response, "usage": tokens, **filler}


PAGINATED = meta(history_mode="paginated")


def lines(entries: Sequence[tuple[str, Json]], first: int | None = None) -> list[bytes]:
    """Lines as Codex writes them; `first` numbers them."""
    written = []
    for i, (kind, payload) in enumerate(entries):
        value: Json = {"timestamp": f"2026-03-02T09:{i // 60:02d}:{i % 60:02d}.000Z"}
        if first is not None:
            value["ordinal"] = first + i
        value |= {"type": kind, "payload": payload}
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        written.append(text.encode() + b"\n")
    return written


def write(folder: Path, content: bytes | Sequence[bytes], name: str = NAME) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else b"".join(content))
    return path


def read(*paths: Path, full: bool = False) -> dict[str, list[Json]]:
    """The rows of every unit below the paths."""
    rows: dict[str, list[Json]] = {}
    with closing(DiskFiles()) as files:
        for unit in STORE.units(files, [str(path) for path in paths]):
            sink = Sink(full)
            sink.start(unit.index, None)
            STORE.read(unit, files, sink)
            for name, table in sink.tables():
                rows.setdefault(name, []).extend(table.to_pylist())
    return rows


def repaired(path: Path, *operations: Operation) -> bytes:
    """The bytes of the file after the edits of these operations."""
    with closing(DiskFiles()) as files:
        unit = next(u for u in STORE.units(files, [str(path)]) if str(path) in u.paths)
        made = STORE.edits(unit, files, operations)
    assert len(made) == len(operations)
    data = path.read_bytes()
    edits = [edit for translated in made for edit in translated.edits]
    spans = [edit for edit in edits if isinstance(edit, SpanEdit)]
    after = data
    for edit in sorted(spans, key=lambda e: (e.offset, e.length), reverse=True):
        parts = [
            data[p.offset : p.offset + p.length] if isinstance(p, Copy) else p for p in edit.after
        ]
        after = after[: edit.offset] + b"".join(parts) + after[edit.offset + edit.length :]
    return after


def records(data: bytes) -> list[Json]:
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]
