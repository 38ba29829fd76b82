"""What an item of the Responses API is, and what is wrong with one."""

import json
import re
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from suture.model.edit import Value
from suture.stores._column_json import read_slowly
from suture.stores._tables import Record

# The SDK leaves out a call without its output, a pair being of these types.
OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "tool_search_call": "tool_search_output",
    "program": "program_output",
    "mcp_approval_request": "mcp_approval_response",
}
FAMILY = {
    name: call.removesuffix("_call").removesuffix("_request")
    for call, output in OUTPUTS.items()
    for name in (call, output)
}
HOSTED = {  # the provider runs them; their outcome is in the item itself
    "file_search_call",
    "web_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "hosted_tool_call",
}
_ROLES = {"user": "prompt", "assistant": "reply", "system": "injected", "developer": "injected"}
_KINDS = {
    "reasoning": "reasoning",
    "compaction": "summary",
    "mcp_list_tools": "state",
    **dict.fromkeys(HOSTED, "call"),
    **dict.fromkeys(OUTPUTS, "call"),
    **dict.fromkeys(OUTPUTS.values(), "result"),
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PROCESS_ONLY = "the store does not record whether a tool was started"
_decode = msgspec.json.Decoder().decode


class Problem(Struct, frozen=True):
    kind: str  # name of the 1xx rule, with underscores
    detail: str
    fixable: bool = False


class Item(Struct, frozen=True):
    row: Record
    value: dict[str, Any]  # empty if it cannot be read
    type: str
    kind: str
    problem: Problem | None = None

    @property
    def call_id(self) -> str | None:
        """The id that a call and its output share."""
        match self.type:
            case "mcp_approval_request":
                name = "id"
            case "mcp_approval_response":
                name = "approval_request_id"
            case kind if kind in HOSTED:
                return _text(self.value.get("id")) or ""
            case _:
                name = "call_id"
        return _text(self.value.get(name))

    @property
    def from_model(self) -> bool:
        return self.kind in ("reply", "reasoning", "call")

    @property
    def server(self) -> bool:
        place = self.value.get("environment")
        kind = place.get("type") if isinstance(place, dict) else None
        return self.type in HOSTED or (self.type == "shell_call" and str(kind).startswith("contai"))

    @property
    def caller(self) -> str | None:
        """The program that made a call."""
        caller = self.value.get("caller")
        if not isinstance(caller, dict) or caller.get("type") != "program":
            return None
        return _text(caller.get("caller_id"))

    @property
    def name(self) -> str | None:
        name = self.value.get("name")
        return _text(name) or FAMILY.get(self.type) or self.type

    @property
    def never_started(self) -> str | None:
        if self.value.get("status") == "incomplete":
            return "its arguments were still being written"
        return None

    @property
    def reason(self) -> str:
        return self.never_started or _PROCESS_ONLY

    @property
    def malformed(self) -> str | None:
        if self.type not in ("function_call", "custom_tool_call"):
            return None
        name = self.value.get("name")
        if not isinstance(name, str) or not name:
            return "it has no name"
        if _CONTROL.search(name):
            return "its name holds control bytes"
        return self._arguments() if self.type == "function_call" else None

    def _arguments(self) -> str | None:
        arguments = self.value.get("arguments")
        if not isinstance(arguments, str):
            return "its arguments are no text"
        try:
            json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return "its arguments are not JSON"
        return None

    @property
    def text(self) -> str:
        """What a message or an output says, in one text."""
        said = self.value.get("output" if self.kind == "result" else "content")
        if isinstance(said, str):
            return said
        if isinstance(said, list):
            return "".join(part for block in said if (part := _text_of(block)))
        return ""

    @property
    def content(self) -> list[dict[str, Any]]:
        """The blocks of a message; plain text is one."""
        said = self.value.get("content")
        if isinstance(said, str):
            return [{"type": "text", "text": said}]
        return [b for b in said if isinstance(b, dict)] if isinstance(said, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _text_of(block: Any) -> str | None:
    return _text(block.get("text")) if isinstance(block, dict) else None


def item(row: Record) -> Item:
    value, problem = _loaded(row["message_data"])
    if value is None:
        return Item(row, {}, "unreadable", "scalar", problem)
    found = _item(row, value)
    return replace(found, problem=problem) if problem and found.problem is None else found


def _item(row: Record, value: dict[str, Any]) -> Item:
    if "__enc__" in value:  # EncryptedSession: nothing but the id of the session can be read
        return Item(row, value, "encrypted", "unknown")
    kind = value.get("type", "message" if "role" in value else None)
    if not isinstance(kind, str):
        return _odd(row, value, "unknown", "type is no text")
    return _message(row, value) if kind == "message" else _other(row, value, kind)


def _message(row: Record, value: dict[str, Any]) -> Item:
    role = value.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        return _odd(row, value, "message", f"role is {_shown(role)}")
    if not isinstance(value.get("content"), str | list):
        return _odd(row, value, "message", "content is neither text nor an array", _ROLES[role])
    return Item(row, value, f"message/{role}", _ROLES[role])


def _other(row: Record, value: dict[str, Any], kind: str) -> Item:
    found = Item(row, value, kind, _KINDS.get(kind, "unknown"))
    paired = found.kind in ("call", "result") and not kind.startswith("tool_search")  # needs no id
    if paired and found.call_id is None:
        return _odd(row, value, kind, "call_id is no text", found.kind)
    return found


def _odd(row: Record, value: dict[str, Any], kind: str, what: str, is_a: str = "unknown") -> Item:
    return Item(row, value, kind, is_a, Problem("bad_shape", what))


def _loaded(data: Value) -> tuple[dict[str, Any] | None, Problem | None]:
    if not isinstance(data, str | bytes):
        return None, Problem("bad_shape", f"message_data is {_shown(data)}")
    try:
        value = _decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        found, odd = read_slowly(data, "message_data")
        problem = Problem(odd.kind, odd.detail, fixable=odd.fixable)
        return (found if isinstance(found, dict) else None), problem
    if not isinstance(value, dict):
        return None, Problem("bad_shape", "message_data is no object")
    return value, None


def _shown(value: Any) -> str:
    return "NULL" if value is None else f"{type(value).__name__} {value!r:.40}"
