"""What a message of Goose is: a role, and an array of content items with a `type` each."""

from collections.abc import Iterable
from typing import Any

from suture.stores._pieces import (
    Message,
    Piece,
    Problem,
    array,
    loaded,
    mapping,
    record_kind,
    string,
)
from suture.stores._tables import Record

# What is between the client and a person: no provider is sent it. Older releases write the question
# into a message of the user, newer ones into one of the assistant, as an action that is required.
_CONFIRMATION, _ACTION = "toolConfirmationRequest", "actionRequired"
HIDDEN = "hidden"  # lane of what the model does not see any more
_ROLES = {"user": "prompt", "assistant": "reply"}
_REQUESTS = ("toolRequest", "frontendToolRequest")


def message(row: Record) -> Message:
    found, problems = array(row, "content_json")
    pieces = [_piece(item) for item in found]
    visible, odd = _visible(row)
    problems += odd
    role = string(row["role"]) or "unknown"
    if role not in _ROLES:
        problems.append(Problem("bad_shape", "role", f"role is {role[:40]!r}"))
    if not isinstance(row["created_timestamp"], int):
        problems.append(Problem("bad_shape", "created_timestamp", "created_timestamp is no number"))
    if any(not isinstance(item, dict) for item in found):
        problems.append(Problem("bad_shape", "content_json", "content_json holds what is no item"))
    if any(p.kind in ("call", "result") and p.call_id is None for p in pieces):
        problems.append(Problem("bad_shape", "content_json", "a request or a response has no id"))
    unread = any(p.field == "content_json" for p in problems) and not pieces
    kind = "scalar" if unread else record_kind(role, _ROLES, pieces)
    if pieces and all(piece.type in (_CONFIRMATION, _ACTION) for piece in pieces):
        kind = "event"
    lane = "main" if visible else HIDDEN
    return Message(row, kind, role, pieces, problems, sent=visible and not unread, lane=lane)


def _visible(row: Record) -> tuple[bool, list[Problem]]:
    """Whether the model sees it: compaction hides what it summarises."""
    data = row.get("metadata_json")
    if data is None:
        return True, []
    value, problem = loaded(data, "metadata_json")
    if problem is not None:  # the message itself can be read: it is not taken out for this
        return True, [Problem(problem.kind, problem.field, problem.detail)]
    return mapping(value).get("agentVisible") is not False, []


def confirmations(one: Message) -> set[str]:
    """The calls that a person was asked about."""
    asked = [p.raw for p in one.pieces if p.type == _CONFIRMATION]
    asked += _actions(one, "toolConfirmation")
    return _ids(asked)


def decisions(one: Message) -> set[str]:
    """The calls that a person gave or refused leave for."""
    return _ids(_actions(one, "toolConfirmationResponse"))


def _ids(items: Iterable[dict[str, Any]]) -> set[str]:
    found = (string(item.get("id")) for item in items)
    return {call_id for call_id in found if call_id is not None}


def _actions(one: Message, kind: str) -> list[dict[str, Any]]:
    data = [mapping(p.raw.get("data")) for p in one.pieces if p.type == _ACTION]
    return [item for item in data if item.get("actionType") == kind]


def _piece(item: Any) -> Piece:
    value = mapping(item)
    kind = string(value.get("type")) or "unknown"
    match kind:
        case "text":
            return Piece(item, kind, "text", string(value.get("text")) or "")
        case "thinking" | "redactedThinking":
            return Piece(item, kind, "reasoning", string(value.get("thinking")) or "")
        case "image":
            return Piece(item, kind, "image")
        case "toolResponse":
            return _response(item, value)
        case _ if kind in _REQUESTS:
            return _request(item, value, kind)
        case _:
            return Piece(item, kind, "other" if kind in (_CONFIRMATION, _ACTION) else "unknown")


def _request(item: Any, value: dict[str, Any], kind: str) -> Piece:
    call = mapping(value.get("toolCall"))
    wanted = mapping(call.get("value"))
    name = string(wanted.get("name"))
    failed = call.get("status") == "error"  # what the model wrote was no call
    return Piece(
        item,
        kind,
        "call",
        call_id=string(value.get("id")),
        name=name,
        never_started="the model wrote it wrongly" if failed else None,
        malformed=None if failed or name else "it has no name",
    )


def _response(item: Any, value: dict[str, Any]) -> Piece:
    result = mapping(value.get("toolResult"))
    said = result.get("value", result.get("error"))
    error = result.get("status") == "error" or mapping(said).get("isError") is True
    call_id = string(value.get("id"))
    return Piece(item, "toolResponse", "result", _text(said), call_id, error=error)


def _text(said: Any) -> str:
    """The texts of a result: of an array of content, or of an object that has one."""
    if isinstance(said, str):
        return said
    blocks = mapping(said).get("content", said)
    if not isinstance(blocks, list):
        return ""
    return "".join(text for b in blocks if (text := string(mapping(b).get("text"))) is not None)
