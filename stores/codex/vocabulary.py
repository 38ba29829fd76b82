"""The record types of a rollout, and what each of them is to a reader."""

import json
import re
from pathlib import Path

_HERE = Path(__file__).parent
_MARKERS = json.loads((_HERE / "markers.json").read_text("utf-8"))

INJECTED = tuple(_MARKERS["injected"])
PLACEHOLDER = re.compile("|".join(f"(?:{text})" for text in _MARKERS["placeholders"]))
SIDE_EFFECTS: dict[str, str] = {
    tool: effect
    for effect, tools in json.loads((_HERE / "tools.json").read_text("utf-8")).items()
    for tool in tools
}

REMOVED = "suture_removed"  # keeps the ordinal of a record that suture took out

LINES = {
    "session_meta": "header",
    "turn_context": "state",
    "world_state": "state",
    "retained_context": "state",
    "compacted": "boundary",
    REMOVED: "event",
    "token_usage_record": "event",
    "security_risk_score": "event",
    "realtime_item": "event",
    "inter_agent_communication": "injected",
    "inter_agent_communication_metadata": "event",
}

ITEMS = {
    "message": "prompt",  # by its role and text, see `rollout`
    "agent_message": "injected",
    "reasoning": "reasoning",
    "function_call": "call",
    "local_shell_call": "call",
    "custom_tool_call": "call",
    "tool_search_call": "call",
    "web_search_call": "call",
    "image_generation_call": "call",
    "function_call_output": "result",
    "custom_tool_call_output": "result",
    "tool_search_output": "result",
    "compaction": "summary",
    "compaction_summary": "summary",
    "context_compaction": "summary",
    "additional_tools": "state",
    "ghost_snapshot": "state",
}

FAMILY = {
    "function_call": "function",
    "local_shell_call": "local_shell",
    "custom_tool_call": "custom",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
    "image_generation_call": "image_generation",
    "function_call_output": "function",
    "custom_tool_call_output": "custom",
    "tool_search_output": "tool_search",
}

SERVER_FAMILIES = frozenset({"web_search", "image_generation"})

ID_PREFIX = {
    "message": "msg",
    "agent_message": "amsg",
    "reasoning": "rs",
    "function_call": "fc",
    "local_shell_call": "lsh",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
    "tool_search_call": "tsc",
    "tool_search_output": "tso",
    "web_search_call": "ws",
    "image_generation_call": "ig",
    "compaction": "cmp",
    "compaction_summary": "cmp",
    "context_compaction": "cmp",
    "additional_tools": "at",
}

EVENTS = dict.fromkeys(_MARKERS["events"], "event") | {
    "task_started": "turn_start",
    "turn_started": "turn_start",
    "task_complete": "turn_end",
    "turn_complete": "turn_end",
    "turn_aborted": "abort",
}

# The types as we print them, with their kinds. The place in here is the one byte that is kept of a
# record; at 0 stand all types that are not known.
TYPES: tuple[tuple[str, str], ...] = (
    ("", "unknown"),
    *LINES.items(),
    *((f"event_msg/{name}", kind) for name, kind in EVENTS.items()),
    *((f"response_item/{name}", kind) for name, kind in ITEMS.items()),
    ("response_item/message", "reply"),
    ("response_item/message", "injected"),
)


def printed(line_type: str | None, payload_type: str | None) -> str:
    """A type as we print it."""
    if line_type in ("response_item", "event_msg"):
        return f"{line_type}/{payload_type or ''}"
    return line_type or ""
