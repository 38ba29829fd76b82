"""Writes one session file for a question of its own: start-up, one long line, many records.

python bench/single_files.py 1kb claude OUT
python bench/single_files.py 50kb codex OUT
python bench/single_files.py line claude OUT --size 200000000
python bench/single_files.py records codex OUT --size 1000000
"""

import argparse
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

from gen import TOOLS
from invent import Inventor
from sessions import JsonObject, Record, Session, Tool

_SESSION = "01992000-0000-4000-8000-000000000001"
_META = {
    "id": _SESSION,
    "timestamp": "2026-08-01T00:00:00.000Z",
    "cwd": "/home/dev/proj",
    "originator": "codex_cli_rs",
    "cli_version": "0.144.0",
    "source": "cli",
    "model_provider": "openai",
}
_USAGE = {"input_tokens": 9, "output_tokens": 90}


def _claude(turns: int, output: str) -> Iterator[JsonObject]:
    """Turns of a prompt, a call, its result and an answer."""
    inventor = Inventor(Random(1))
    parent: str | None = None

    def line(kind: str, message: JsonObject, **more: object) -> JsonObject:
        nonlocal parent
        above, parent = parent, inventor.uuid()
        envelope = {"parentUuid": above, "isSidechain": False, "sessionId": _SESSION}
        stamp = {"uuid": parent, "timestamp": inventor.time()}
        content = {"version": "2.1.44", "type": kind, "message": message}
        return {**envelope, **content, **more, **stamp}

    def response(turn: int, part: int, block: JsonObject, stop: str) -> JsonObject:
        identity = {"id": f"msg_{turn}_{part}", "type": "message", "role": "assistant"}
        said = {"model": "claude-opus-4-6", "content": [block], "stop_reason": stop}
        return line("assistant", {**identity, **said, "usage": _USAGE})

    for turn in range(turns):
        call = f"toolu_01{turn:022}"
        yield line("user", {"role": "user", "content": f"look at file {turn}"})
        use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"/{turn}"}}
        yield response(turn, 0, use, "tool_use")
        result = {"tool_use_id": call, "type": "tool_result", "content": output}
        yield line("user", {"role": "user", "content": [result]})
        yield response(turn, 1, {"type": "text", "text": f"file {turn} is fine"}, "end_turn")


def _codex(turns: int, output: str) -> Iterator[JsonObject]:
    inventor = Inventor(Random(1))

    def item(kind: str, payload: JsonObject) -> JsonObject:
        return {"timestamp": inventor.time(), "type": kind, "payload": payload}

    def message(role: str, text: str) -> JsonObject:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text}]
        return item("response_item", {"type": "message", "role": role, "content": content})

    yield item("session_meta", _META)
    for turn in range(turns):
        call = f"call_{turn:024}"
        yield message("user", f"look at file {turn}")
        use = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call}
        yield item("response_item", use)
        result = {"type": "function_call_output", "call_id": call, "output": output}
        yield item("response_item", result)
        yield message("assistant", f"file {turn} is fine")


_TURNS = {"claude": _claude, "codex": _codex}


def _about_50_kb(tool: Tool) -> Session:
    for seed in count():
        session = tool.invent(Inventor(Random(seed)), 40_000)
        size = sum(len(record.encoded()) + 1 for record in session.records)
        if 47_000 <= size <= 53_000 and not session.has_ordinals:
            return session
    raise AssertionError("count() ends")


def _content(kind: str, tool: Tool, size: int) -> tuple[str, Iterator[JsonObject]]:
    """Id and records of the session."""
    if kind == "50kb":
        session = _about_50_kb(tool)
        return session.id, (record.fields for record in session.records)
    turns = _TURNS[tool.name]
    if kind == "1kb":
        return _SESSION, turns(1, "ok")
    if kind == "line":
        return _SESSION, turns(1, "y" * size)
    return _SESSION, turns(size // 4, "fine: nothing to see here")


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=["1kb", "50kb", "line", "records"])
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", type=int, default=0)
    given = parser.parse_args()
    tool = TOOLS[given.tool]
    session, records = _content(given.kind, tool, given.size)
    path = given.out / tool.path(0, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for fields in records:
            file.write(Record(fields, "other").encoded() + b"\n")


if __name__ == "__main__":
    _main()
