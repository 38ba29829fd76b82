"""What a line is: its kind in the words of the canonical tables, and its native type."""

import re

from msgspec import UNSET

from suture.stores.claude_code.lines import Block, Line, Message
from suture.stores.claude_code.records import CHAINED, RENDERED, TALK

LINKS = frozenset({"user", "assistant", "attachment", "system", "progress"})
SPOKEN = ("user", "assistant")  # others with a `message` repeat it: 2.1.332 logs its requests

# Lines of their own that state something about the session and hang on no chain.
INDEX = frozenset(
    {
        "agent-color", "agent-name", "agent-setting", "ai-title", "api-request",
        "api-request-blob", "api-request-shape", "atis-latch", "attribution-snapshot",
        "bridge-session", "content-replacement", "cost-state", "custom-title", "ended-by-model",
        "file-history-delta", "file-history-snapshot", "fork-context-ref", "frame-link", "goal",
        "isolation-latch", "last-prompt", "marble-origami-commit", "marble-origami-reset",
        "marble-origami-snapshot", "mode", "observer-ref", "permission-mode", "pr-link",
        "queue-operation", "relocated", "rewind-pointer", "speculation-accept", "summary", "tag",
        "task-summary", "tools-used", "worktree-state",
    }
)  # fmt: skip

_HIDDEN_HOOKS = frozenset(
    {"hook_success", "hook_cancelled", "hook_system_message", "hook_permission_decision",
     "hook_non_blocking_error", "async_hook_response"}
)  # fmt: skip
_ABORT = re.compile(rb'\s*"?\[Request interrupted by user')
_LOCAL = re.compile(rb'\s*"?<(?:local-command-|command-name>|bash-std|task-notification>)')
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
SERVER_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})


def unspoken(line: Line) -> tuple[str, str, int]:
    """Kind, type and marks of a line that is neither the user's nor the model's."""
    chained = CHAINED if line.type in LINKS else 0
    if line.type == "system":
        kind = "boundary" if line.subtype == "compact_boundary" else "notice"
        full = f"system/{line.subtype}" if line.subtype else line.type
        return kind, full, chained | (RENDERED if line.subtype == "local_command" else 0)
    if line.type == "attachment":
        inner = None if line.attachment is None else line.attachment.type
        full = line.type if inner is None else f"attachment/{inner}"
        return "injected", full, chained | TALK | (0 if inner in _HIDDEN_HOOKS else RENDERED)
    if line.type == "progress":
        return "event", line.type, chained
    return ("index" if line.type in INDEX else "unknown"), line.type, 0


def is_unknown(line: Line) -> bool:
    """Of a type that no version that we know of writes: its keys may hold anything."""
    spoken = line.type is None or line.type in SPOKEN
    return not spoken and unspoken(line)[0] == "unknown"


def blocks_of(line: Line) -> list[Block]:
    message = line.message if line.type in SPOKEN else None
    if message is not None and isinstance(message.content, list):
        return message.content
    return []


def of_user(line: Line, message: Message | None) -> str:
    if line.is_compact_summary:
        return "summary"
    start, content = b"", None if message is None else message.content
    if isinstance(content, list):
        for block in content:
            if block.type == "tool_result":
                return "result"
            if block.type == "text" and not start and block.text is not UNSET:
                start = bytes(memoryview(block.text)[:64])
    elif content is not None:
        start = content[:64].encode("utf-8", "replace")
    if _ABORT.match(start):
        return "abort"
    return "injected" if line.is_meta or _LOCAL.match(start) else "prompt"


# Most lines hold one block.
_ONE = {
    "tool_use": "call",
    "text": "reply",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "server_tool_use": "call",
    "mcp_tool_use": "call",
}


def of_assistant(message: Message | None) -> str:
    content = None if message is None else message.content
    blocks = content if isinstance(content, list) else []
    if len(blocks) == 1 and (known := _ONE.get(blocks[0].type)) is not None:
        return known
    types = [block.type for block in blocks]
    if "tool_use" in types:
        return "call"
    if "text" in types or not types:
        return "reply"
    if not SERVER_CALLS.isdisjoint(types):
        return "call"
    if all(t in ("thinking", "redacted_thinking") for t in types):
        return "reasoning"
    return "result" if any(t.endswith("_tool_result") for t in types) else "reply"
