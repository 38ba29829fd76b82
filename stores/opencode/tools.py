"""A tool part: the call and its result in one row."""

import json
from hashlib import sha256
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from suture.model.answer import is_marked
from suture.stores.opencode.values import at, string, written

_PLACEHOLDERS = frozenset(
    json.loads(files("suture.stores.opencode").joinpath("markers.json").read_text("utf-8"))[
        "placeholders"
    ]
)
_encode = msgspec.json.Encoder().encode
_STATES = {
    "pending": "proposed",
    "running": "running",
    "completed": "completed",
    "error": "failed",
}
OPEN = ("pending", "running")


class Tool(Struct, frozen=True):
    call_id: str
    name: str | None
    state: str | None
    outcome: str
    reason: str | None
    malformed: str | None
    arguments: Any
    result: str | None  # output or error text; None: there is none
    failed: bool
    shown: bool  # the result is what the model is sent

    @property
    def marked(self) -> bool:
        return self.result is not None and is_marked(self.result)

    @property
    def placeholder(self) -> bool:
        return self.marked or self.result in _PLACEHOLDERS

    @property
    def digest(self) -> str:
        data = (self.result or "").encode("utf-8", "replace")
        return sha256(data).hexdigest()[:16]


def tool(body: dict[str, Any]) -> Tool | None:
    """None for a status that no client of today writes: it is carried through as it is."""
    state = body.get("state")
    status = at(state, "status")
    if status is not None and string(status) not in _STATES:
        return None
    outcome, reason = _outcome(state, status)
    return Tool(
        call_id=string(body.get("callID")) or "",
        name=string(body.get("tool")),
        state=_STATES.get(str(status)),
        outcome=outcome,
        reason=reason,
        malformed=_malformed(body, state, status),
        arguments=at(state, "input"),
        result=_result(state, status),
        failed=status == "error",
        shown=not hides_error(body),
    )


def _outcome(state: Any, status: Any) -> tuple[str, str | None]:
    if status == "pending":
        started = "its arguments were still streaming" if not at(state, "input") else "it waited"
        return "never_started", started
    if status == "completed":
        return "unknown", "it is stored as completed, without its output"
    return "unknown", None


def _malformed(body: dict[str, Any], state: Any, status: Any) -> str | None:
    """What the client makes of each is in `on_resume.json`, by these words."""
    ended = status in ("completed", "error")
    faults = (
        (not isinstance(body.get("callID"), str), "it has no call id"),
        (body.get("callID") == "", "its call id is empty"),
        (body.get("tool") == "", "its name is empty"),
        (not string(body.get("tool")), "it has no name"),
        (state is None, "it has no state"),
        (status is None, "its state has no status"),
        (ended and at(state, "time") is None, "its state has no time"),
        (not isinstance(at(state, "input"), dict), "its arguments are no object"),
    )
    return next((words for wrong, words in faults if wrong), None)


def _result(state: Any, status: Any) -> str | None:
    if status == "completed":
        output = at(state, "output")
        return output if output is None or isinstance(output, str) else written(output)
    if status == "error":
        return string(at(state, "error")) or ""  # the client says "unknown error" then
    return None


def hides_error(body: Any) -> bool:
    """The client sends a string in `metadata.output` of an interrupted call as a plain success,
    and the error text not at all (measured on 1.18.33)."""
    state = at(body, "state")
    return (
        at(state, "status") == "error"
        and at(state, "metadata", "interrupted") is True
        and isinstance(at(state, "metadata", "output"), str)
    )


def encoded(value: Any) -> bytes:
    try:
        return _encode(value)
    except (UnicodeEncodeError, ValueError, OverflowError):
        return written(value).encode("utf-8", "replace")
