"""Healthy sessions of our own making, as lines that a fault can be put into."""

import random
from dataclasses import dataclass
from typing import Any
from uuid import UUID

WORDS = ("apple", "bark", "crown", "dew", "elm", "fern", "→", "grafté", "漢字", "ivy", "moss")


@dataclass
class Line:
    obj: dict[str, Any]
    kind: str = ""  # prompt | reply | call | result
    call: str | None = None


Lines = list[Line]


def text(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randrange(8, 40)))


def when(n: int) -> str:
    return f"2026-03-02T{9 + n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000Z"


def claude(rng: random.Random, session: str) -> Lines:
    lines: Lines = [Line({"type": "mode", "mode": "default", "sessionId": session})]

    def add(
        kind: str, role: str, parent: str | None, call: str | None = None, **message: Any
    ) -> str:
        uuid = str(UUID(int=rng.getrandbits(128), version=4))
        obj = {"parentUuid": parent, "isSidechain": False, "sessionId": session, "type": role,
               "version": "2.1.197", "cwd": "/home/dev/orchard", "uuid": uuid,
               "timestamp": when(len(lines) * 9), "message": {"role": role, **message}}  # fmt: skip
        lines.append(Line(obj, kind, call))
        return uuid

    last = None
    for turn in range(4):
        last = add("prompt", "user", last, content=text(rng))
        calls = [f"toolu_{turn}{n}{rng.getrandbits(60):x}" for n in range(rng.randrange(1, 4))]
        issued = []
        for call in calls:  # a block a line, all of one response
            block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}}
            last = add("call", "assistant", last, call, id=f"msg_{turn}", content=[block])
            issued.append(last)
        for call, parent in zip(calls, issued, strict=True):
            block = {"type": "tool_result", "tool_use_id": call, "content": text(rng)}
            last = add("result", "user", parent, call, content=[block])
        said = [{"type": "text", "text": text(rng)}]
        last = add("reply", "assistant", last, id=f"msg_{turn}b", content=said)
    return lines


def codex(rng: random.Random, session: str, paginated: bool) -> Lines:
    lines: Lines = []

    def add(type_: str, kind: str = "", call: str | None = None, **payload: Any) -> None:
        obj: dict[str, Any] = {"timestamp": when(len(lines) * 9)}
        if paginated:
            obj["ordinal"] = None
        lines.append(Line(obj | {"type": type_, "payload": payload}, kind, call))

    mode = {"history_mode": "paginated"} if paginated else {}
    add("session_meta", id=session, timestamp=when(0), cwd="/home/dev/orchard",
        cli_version="0.171.0", model_provider="openai", **mode)  # fmt: skip
    for turn in range(4):
        add("event_msg", type="task_started", turn_id=f"turn-{turn}")
        said = [{"type": "input_text", "text": text(rng)}]
        add("response_item", "prompt", type="message", role="user", content=said)
        calls = [f"call_{turn}{n}{rng.getrandbits(60):x}" for n in range(rng.randrange(1, 4))]
        for call in calls:
            add("response_item", "call", call, type="function_call", name="exec_command",
                arguments='{"cmd":"ls"}', call_id=call)  # fmt: skip
        for call in calls:
            add("response_item", "result", call, type="function_call_output", call_id=call,
                output=text(rng))  # fmt: skip
        said = [{"type": "output_text", "text": text(rng)}]
        add("response_item", "reply", type="message", role="assistant", content=said)
        add("event_msg", type="task_complete", turn_id=f"turn-{turn}")
    return lines


def number(lines: Lines) -> None:
    for n, line in enumerate(lines):
        line.obj["ordinal"] = n
