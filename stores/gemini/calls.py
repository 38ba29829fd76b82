"""Tool calls: they stand in their message, each with a status and its result."""

from hashlib import sha256
from typing import NamedTuple

import msgspec

from suture.model.answer import is_marked
from suture.model.rows import CallRow, ResultRow
from suture.stores.gemini.lines import ToolCall

DONE = frozenset({"success", "error", "cancelled"})
OPEN = {
    "validating": "proposed",
    "scheduled": "proposed",
    "executing": "running",
    "awaiting_approval": "awaiting",
}


class Seat(NamedTuple):
    session: int
    n: int
    part: int
    pos: int


def is_open(call: ToolCall) -> bool:
    """Without a status, a stored result says that the call ended."""
    if call.status in DONE:
        return False
    return call.status in OPEN or bytes(call.result) in (b"", b"null", b"[]")


def call_row(seat: Seat, call: ToolCall, batch: str, last: bool, line: int) -> CallRow:
    """`last`: the conversation did not go on after its message. `line` holds its last writing."""
    outcome, reason, legal = "recorded", None, None
    if is_open(call):
        outcome = "unknown"
        reason = f"the last status, in line {line}, is {call.status or 'missing'}"
        if call.status == "awaiting_approval":
            outcome = "never_started"
            legal = "its approval is pending" if last else None
        elif call.status is not None and call.status not in OPEN:
            legal = f"its status {call.status[:40]!r} is not known"
    return CallRow(
        session=seat.session,
        n=seat.n,
        part=seat.part,
        call_id=call.id or "",
        lane="main",
        pos=seat.pos,
        name=call.name,
        state=_state(call),
        outcome=outcome,
        reason=reason,
        batch=batch,
        legal_open=legal,
        malformed=_malformed(call),
    )


def _state(call: ToolCall) -> str | None:
    if call.status == "success":
        return "completed"
    if call.status in DONE:
        return "failed"
    return OPEN.get(call.status or "")


def _malformed(call: ToolCall) -> str | None:
    if not call.id:
        return "it has no call id"
    if not call.name:
        return "it has no name"
    if call.args and bytes(call.args)[:1] != b"{":
        return "its arguments are no object"
    return None


def result_row(seat: Seat, call: ToolCall) -> ResultRow | None:
    if is_open(call):
        return None
    data = bytes(call.result)
    marked = any(is_marked(text) for text in _texts(data)) if b"[suture]" in data else False
    return ResultRow(
        session=seat.session,
        n=seat.n,
        part=seat.part,
        call_id=call.id or "",
        lane="main",
        pos=seat.pos,
        status="ok" if call.status == "success" else "error" if call.status in DONE else None,
        placeholder=marked,
        marked=marked,
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _texts(data: bytes) -> list[str]:
    """The texts of function responses."""
    try:
        found = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        return []
    texts: list[str] = []
    for part in found if isinstance(found, list) else [found]:
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            texts += [text for text in response.values() if isinstance(text, str)]
    return texts
