"""What a request would begin with: a provider wants a prompt there."""

from collections.abc import Iterable
from typing import Any

from suture.stores.opencode.compactions import Compaction
from suture.stores.opencode.stored import Item, Message, Stored
from suture.stores.opencode.values import at

_ASKS = {"file", "compaction", "subtask"}  # parts that make a prompt by themselves


def unprompted(stored: Stored, asked: Iterable[Compaction]) -> tuple[list[Message], bool]:
    """The replies that are sent before the first prompt, and whether a prompt comes after them. A
    history that was cut begins with the question that the compaction asked."""
    found: list[Message] = []
    if any(one.good or one.cuts_all_the_same for one in asked):
        return found, True
    for message in stored.messages:
        role = at(message.body, "role")
        if role == "user" and any(map(_asks, message.parts)):
            return found, True
        if role == "assistant" and not is_left_out(message) and any(map(_says, message.parts)):
            found.append(message)
    return found, False


def is_left_out(message: Message) -> bool:
    """A reply with an error other than an abort is not sent at all (measured on 1.18.33)."""
    error = at(message.body, "error")
    is_error = error is not None and error is not False and error not in (0, "")  # as JavaScript
    return is_error and at(error, "name") != "MessageAbortedError"


def _asks(part: Item) -> bool:
    said = part.type == "text" and bool(at(part.body, "text")) and not at(part.body, "ignored")
    return said or part.type in _ASKS


def _says(part: Item) -> bool:
    status: Any = at(part.body, "state", "status")
    return (part.type == "tool" and status is not None) or (
        part.type == "text" and bool(at(part.body, "text"))
    )
