"""What a message of Crush is: a role, and parts of `{type, data}`."""

import json
from typing import Any

from suture.stores._pieces import (
    STREAMING,
    Message,
    Piece,
    Problem,
    array,
    mapping,
    record_kind,
    string,
)
from suture.stores._tables import Record

_ROLES = {"user": "prompt", "assistant": "reply", "tool": "result", "system": "injected"}
_OTHER = ("finish", "shell_command")


def message(row: Record) -> Message:
    found, problems = array(row, "parts")
    pieces = [_piece(part) for part in found]
    role = string(row["role"]) or "unknown"
    if role not in _ROLES:
        problems.append(Problem("bad_shape", "role", f"role is {role[:40]!r}"))
    if any(not isinstance(part, dict) for part in found):
        problems.append(Problem("bad_shape", "parts", "parts holds what is no part"))
    if any(p.kind in ("call", "result") and p.call_id is None for p in pieces):
        problems.append(Problem("bad_shape", "parts", "a call or a result has no id"))
    if problems and not pieces:
        return Message(row, "scalar", role, [], problems, sent=False)
    kind = "summary" if row.get("is_summary_message") else record_kind(role, _ROLES, pieces)
    ended = role != "assistant" or any(piece.type == "finish" for piece in pieces)
    return Message(row, kind, role, pieces, problems, status=None if ended else "unfinished")


def _piece(part: Any) -> Piece:
    kind = string(mapping(part).get("type")) or "unknown"
    data = mapping(mapping(part).get("data"))
    match kind:
        case "text":
            return Piece(part, kind, "text", string(data.get("text")) or "")
        case "reasoning":
            return Piece(part, kind, "reasoning", string(data.get("thinking")) or "")
        case "image_url" | "binary":
            return Piece(part, kind, "image")
        case "tool_call":
            return _call(part, data)
        case "tool_result":
            said = string(data.get("content")) or ""
            call_id = string(data.get("tool_call_id"))
            error = data.get("is_error") is True
            return Piece(part, kind, "result", said, call_id, string(data.get("name")), error=error)
        case _:
            return Piece(part, kind, "other" if kind in _OTHER else "unknown")


def _call(part: Any, data: dict[str, Any]) -> Piece:
    started = data.get("finished") is not False
    name = string(data.get("name"))
    return Piece(
        part,
        "tool_call",
        "call",
        call_id=string(data.get("id")),
        name=name,
        never_started=None if started else STREAMING,
        server=data.get("provider_executed") is True,
        malformed=_malformed(name, data.get("input")) if started else None,
    )


def _malformed(name: str | None, given: Any) -> str | None:
    if not name:
        return "it has no name"
    try:
        json.loads(given or "{}")
    except (TypeError, ValueError, RecursionError):
        return "its arguments are not JSON"
    return None
