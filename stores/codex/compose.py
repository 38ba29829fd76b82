"""New lines of a rollout, in the form that Codex writes them."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

from suture.stores.codex.clock import stamp
from suture.stores.codex.records import Record

# Codex makes the ids of its own stand-in outputs in this namespace; the same id for the same call
# keeps a prompt cache warm.
_CODEX = UUID("90d38d3e-6a5b-4d52-bfe2-2f1e634bfac4")
_OUTPUT_PREFIX = {
    "function_call_output": "fco",
    "custom_tool_call_output": "ctco",
    "tool_search_output": "tso",
}
_OUTPUT_TYPE = {
    "function": "function_call_output",
    "local_shell": "function_call_output",
    "custom": "custom_tool_call_output",
    "tool_search": "tool_search_output",
}
_MILLISECOND = 1000
ABORTED = (
    "<turn_aborted>\n"
    "The previous turn was interrupted: the session ended before the turn did. Commands that were "
    "running may still be running or may have partially executed. Check the current state before "
    "going on.\n"
    "</turn_aborted>"
)


def dumps(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def line(
    time: int | None,
    ordinal: int | None,
    kind: str,
    payload: dict[str, Any],
    mark: dict[str, Any] | None,
) -> bytes:
    """One line with its line end. `mark` says what suture added it for; Codex skips that key."""
    value: dict[str, Any] = {"timestamp": stamp(time or 0)}
    if ordinal is not None:
        value["ordinal"] = ordinal
    value |= {"type": kind, "payload": payload}
    if mark is not None:
        value["suture"] = mark
    return dumps(value) + b"\n"


def output(family: str, call_id: str, item_id: str | None, text: str) -> dict[str, Any]:
    """The payload that answers a call of this family."""
    kind = _OUTPUT_TYPE[family]
    payload: dict[str, Any] = {"type": kind}
    if item_id:
        prefix = _OUTPUT_PREFIX[kind]
        payload["id"] = f"{prefix}_{uuid5(_CODEX, f'{prefix}:{item_id}')}"
    payload["call_id"] = call_id
    if kind == "tool_search_output":
        return payload | {"status": "completed", "execution": "client", "tools": []}
    return payload | {"output": text}


def user_message(text: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "user", "content": content}


def turn_aborted(turn_id: str | None, time: int | None) -> dict[str, Any]:
    """`completed_at` is when the session stopped, not when it was repaired."""
    payload: dict[str, Any] = {"type": "turn_aborted"}
    if turn_id is not None:
        payload["turn_id"] = turn_id
    payload["reason"] = "interrupted"
    if time is not None:
        payload["completed_at"] = time // 1_000_000
    return payload


def turn_complete(kind: str, turn_id: str | None, said: str | None, time: int) -> dict[str, Any]:
    payload: dict[str, Any] = {"type": kind}
    if turn_id is not None:
        payload["turn_id"] = turn_id
    return payload | {"last_agent_message": said, "completed_at": time // 1_000_000}


def removed(record_time: int | None, ordinal: int | None, length: int) -> bytes:
    """What stands in the place of a record that is taken out, of the same length.

    A projector up to 0.153 wants every ordinal to be there; a record of a type that nobody knows
    keeps it, spaces do not.
    """
    if ordinal is None:
        return b" " * length
    full = line(record_time, ordinal, "suture_removed", {}, None).rstrip(b"\n")
    short = dumps({"ordinal": ordinal, "type": "suture_removed"})
    for text in (full, short):
        if len(text) <= length:
            return text.ljust(length)
    return b" " * length


def later(time: int | None, steps: int) -> int | None:
    return None if time is None else time + steps * _MILLISECOND


def last_time(records: Sequence[Record]) -> int | None:
    return next((r.time for r in reversed(records) if r.time is not None), None)
