"""The messages of a state: LangChain's classes, read as the structures that they are."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from suture.stores.langgraph.blobs import Built

_KINDS = {"human": "prompt", "ai": "reply", "tool": "result", "system": "injected"}
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "ToolMessage": "tool",
    "SystemMessage": "system",
}


class Call(Struct):
    id: str | None
    name: str | None
    args: Any


class Message(Struct):
    type: str  # human | ai | tool | system | another
    id: str | None
    content: Any
    calls: list[Call]
    answers: str | None  # id of the call
    status: str | None

    @property
    def kind(self) -> str:
        return "call" if self.calls else _KINDS.get(self.type, "event")


def message(value: object) -> Message | None:
    """None for what is no message."""
    if not isinstance(value, Built) or not isinstance(value.value, dict):
        return None
    plain = value.name.removesuffix("Chunk")
    if plain not in _CLASSES and not plain.endswith("Message"):
        return None
    kwargs = value.value
    kind = _CLASSES.get(plain) or _text(kwargs.get("type")) or plain
    stored = kwargs.get("tool_calls")
    listed = stored if kind == "ai" and isinstance(stored, list) else []
    calls = [_call(one) for one in listed if isinstance(one, dict)]
    return Message(
        type=kind,
        id=_text(kwargs.get("id")),
        content=kwargs.get("content"),
        calls=calls,
        answers=_text(kwargs.get("tool_call_id")) or "" if kind == "tool" else None,
        status=_text(kwargs.get("status")),
    )


def _call(stored: dict[str, Any]) -> Call:
    return Call(_text(stored.get("id")), _text(stored.get("name")), stored.get("args"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def messages(value: object) -> Iterator[Message]:
    """Of a channel, or of a write to it: one message or a list of them."""
    for one in value if isinstance(value, list) else [value]:
        if (found := message(one)) is not None:
            yield found


def has_messages(value: object) -> bool:
    return isinstance(value, list) and any(message(one) is not None for one in value)


def encoded(value: object) -> bytes:
    """JSON for people and digests; what has no form in JSON is shown as text."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except (ValueError, TypeError, RecursionError):
        return repr(value).encode("utf-8", "replace")


def shown(content: object) -> str:
    if isinstance(content, str):
        return content
    return encoded(content).decode("utf-8", "replace")
