"""What a session tells a model, taken from a request or from the records of a store.

A fact has a label that is the same in every run ("result echo one"), its id, and its text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from legality import blocks_of

REMINDERS = ("<system-reminder>", "<environment_context>")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    id: str | None  # of the call; of what is said only where a row holds it
    text: str


Facts = dict[str, Fact]


def of_request(request: dict[str, Any]) -> Facts:
    if "messages" in request:
        contents = ((m["role"], m["content"]) for m in request["messages"])
        return _of_messages(contents)
    return _of_items(request["input"])


def of_claude(lines: Iterable[bytes]) -> Facts:
    """Facts of a transcript; what stands before a compaction is not sent again."""
    messages: list[tuple[str, Any]] = []
    for record in _records(lines):
        if record.get("subtype") == "compact_boundary":
            messages = []
        elif record.get("type") in ("user", "assistant"):
            messages.append((record["type"], record["message"]["content"]))
    return _of_messages(messages)


def of_codex(lines: Iterable[bytes]) -> Facts:
    items: list[dict[str, Any]] = []
    for record in _records(lines):
        if record.get("type") == "compacted":
            items = list(record["payload"].get("replacement_history") or [])
        elif record.get("type") == "response_item":
            items.append(record["payload"])
    return _of_items(items)


# Of the rows of an OpenCode database, in the order in which they are sent.
OPENCODE_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
OPENCODE_PARTS = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id"


def of_opencode(messages: Iterable[Sequence[Any]], parts: Iterable[Sequence[Any]]) -> Facts:
    """What stands before a compaction is not sent again, except the tail that it keeps."""
    parts = [(home, id, json.loads(data)) for home, id, data in parts]
    told: list[tuple[str, str, list[Any]]] = []
    for id, data in messages:
        message = json.loads(data)
        if message.get("summary") and message.get("finish") and not message.get("error"):
            asked = [body for home, _, body in parts if home == message["parentID"]]
            tail = asked[0].get("tail_start_id")
            ids = [known for known, _, _ in told]
            told = told[ids.index(tail) :] if tail in ids else []
        blocks = [b for home, part, body in parts if home == id for b in _opencode(part, body)]
        told.append((id, message["role"], blocks))
    return _of_messages((role, blocks) for _, role, blocks in told)


def _opencode(id: str, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if part["type"] == "text" and part["text"]:
        yield {"type": "text", "text": part["text"], "id": id}
    if part["type"] == "tool":
        state, call = part["state"], part["callID"]
        yield {"type": "tool_use", "id": call, "input": state["input"]}
        if state["status"] in ("completed", "error"):
            text = state["output" if state["status"] == "completed" else "error"]
            yield {"type": "tool_result", "tool_use_id": call, "content": text}


def _records(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.strip():
            yield json.loads(line)


def _of_messages(messages: Iterable[tuple[str, Any]]) -> Facts:
    facts: Facts = {}
    names: dict[str, str] = {}
    for role, content in messages:
        for block in blocks_of(content):
            match block["type"]:
                case "text" if role in ("user", "assistant") and not _reminder(block["text"]):
                    _said(facts, role, block["text"], block.get("id"))
                case "tool_use":
                    names[block["id"]] = _named(block["input"])
                    _call(facts, names, block["id"], json.dumps(block["input"], sort_keys=True))
                case "tool_result":
                    text = "".join(b.get("text", "") for b in blocks_of(block["content"]))
                    _result(facts, names, block["tool_use_id"], text)
    return facts


def _of_items(items: Iterable[dict[str, Any]]) -> Facts:
    facts: Facts = {}
    names: dict[str, str] = {}
    for item in items:
        match item.get("type"):
            case "message" if item["role"] in ("user", "assistant"):
                for block in item["content"]:
                    if not _reminder(block["text"]):
                        _said(facts, item["role"], block["text"])
            case "function_call":
                names[item["call_id"]] = _named(json.loads(item["arguments"]))
                _call(facts, names, item["call_id"], item["arguments"])
            case "function_call_output":
                output = item["output"]
                text = output if isinstance(output, str) else json.dumps(output, sort_keys=True)
                _result(facts, names, item["call_id"], text)
            case _:
                pass
    return facts


def _said(facts: Facts, role: str, text: str, id: str | None = None) -> None:
    text = text.strip().strip('"')  # a client adds line ends or quotes to some of its own
    _add(facts, f"{role} {text}", id, text)


def _call(facts: Facts, names: dict[str, str], id: str, text: str) -> None:
    _add(facts, f"call {names[id]}", id, text)


def _result(facts: Facts, names: dict[str, str], id: str, text: str) -> None:
    _add(facts, f"result {names.get(id, id)}", id, text)


def _add(facts: Facts, label: str, id: str | None, text: str) -> None:
    facts.setdefault(label, Fact(label, id, text))


def _named(arguments: dict[str, Any]) -> str:
    for key in ("command", "cmd", "description"):
        if key in arguments:
            return str(arguments[key])
    return json.dumps(arguments, sort_keys=True)


def _reminder(text: str) -> bool:
    """What the client itself tells the model in the user's name on every resume."""
    return text.startswith(REMINDERS)


def comparable(request: dict[str, Any]) -> list[str]:
    """Messages or items in order, without the marks for the provider's cache and today's date."""
    if "input" in request:
        return [_dateless(json.dumps(item, sort_keys=True)) for item in request["input"]]
    messages = [
        {
            "role": message["role"],
            "content": [
                {k: v for k, v in block.items() if k != "cache_control"}
                for block in blocks_of(message["content"])
            ],
        }
        for message in request["messages"]
    ]
    return [_dateless(json.dumps(message, sort_keys=True)) for message in messages]


def _dateless(message: str) -> str:
    """A client tells the day in a reminder of its own, and a suite may run past midnight."""
    return DATE.sub("DATE", message) if any(tag in message for tag in REMINDERS) else message


def agree(one: dict[str, Any], two: dict[str, Any]) -> int:
    """How many messages or items two requests share from the start on."""
    for count, (a, b) in enumerate(zip(comparable(one), comparable(two), strict=False)):
        if a != b:
            return count
    return min(len(comparable(one)), len(comparable(two)))
