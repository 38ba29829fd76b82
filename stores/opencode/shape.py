"""What is wrong with a message or a part that is JSON, and how far each of them got."""

from typing import Any

from suture.stores.opencode.first import is_left_out
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import Item, Message
from suture.stores.opencode.tools import Tool
from suture.stores.opencode.values import at, string

ROLES = {"user": "prompt", "assistant": "reply"}
UNFINISHED, INFLIGHT = "unfinished", "inflight"

# With a file or a command beside it, it is as a person may send it.
_EMPTY_PROMPT = "the prompt holds an empty text and nothing else"


def message_status(body: Any) -> str | None:
    if at(body, "role") != "assistant":
        return None
    if at(body, "time", "completed") is None:
        return UNFINISHED
    return string(at(body, "error", "name")) or string(at(body, "finish"))


def message_problem(session: Session, message: Message, role: str | None) -> str | None:
    if message.body is None or role not in ROLES:
        return "the message has no role" if message.body is not None and role is None else None
    if role == "assistant" and is_left_out(message) and at(message.body, "error", "name") is None:
        return "the error of the reply has no name, and the reply is not sent"
    if message.parts:
        return _EMPTY_PROMPT if role == "user" and all(map(_is_empty, message.parts)) else None
    if at(message.body, "error") is not None or message_status(message.body) == UNFINISHED:
        return None  # the provider refused at once, or the client died before the first part
    if session.live is not None and message is session.stored.messages[-1]:
        return None
    return "the message has no parts"


def _is_empty(part: Item) -> bool:
    return bool(part.type == "text" and at(part.body, "text") == "")


def hides_calls(message: Message) -> bool:
    """It is not sent at all, with the calls in it that have ended."""
    if not is_left_out(message) or at(message.body, "summary") is True:
        return False
    return any(at(p.body, "state", "status") in ("completed", "error") for p in message.parts)


def part_problem(body: Any, called: Tool | None) -> str | None:
    if body is not None and not isinstance(body.get("type"), str):
        return "the part has no type"
    output = at(body, "state", "output") if called is not None and not called.failed else None
    return "the output of the call is no text" if isinstance(output, dict | list) else None
