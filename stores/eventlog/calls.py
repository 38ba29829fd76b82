"""Tool calls: the states that events take them through, and what an open one is."""

import re
from hashlib import sha256

from msgspec import UNSET, Struct

from suture.model.rows import CallRow, ResultRow
from suture.stores.eventlog.payloads import ArtifactStored, ToolFinished, ToolProposed

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_WORDS = re.compile(r"[^\w-]+")
_OK = {"ok", "success", "succeeded", "complete", "completed"}
_ERROR = {"error", "failed", "failure", "denied", "cancelled", "canceled", "timeout"}


class Call(Struct, gc=False):
    n: int
    call_id: str
    name: str | None
    batch: str | None
    side_effect: str | None
    needs_approval: bool
    malformed: str | None
    approved: bool = False
    denied: int | None = None  # n of the event
    started: int | None = None
    finished: int | None = None
    status: str | None = None
    artifact: int | None = None


def proposed(n: int, payload: ToolProposed, step: str | None) -> Call:
    name: str | None = payload.name
    wrong = None
    if not name:
        wrong = "it has no name"
    elif _CONTROL.search(name):
        wrong = "its name holds control bytes"
    needs = payload.approval == "required"
    batch = payload.step_id or step
    return Call(n, payload.call_id, name, batch, payload.side_effect, needs, wrong)


class Calls:
    """The calls of a session in the order proposed."""

    def __init__(self) -> None:
        self.all: list[Call] = []
        self.by_id: dict[str, Call] = {}  # the latest of that id

    def add(self, call: Call) -> None:
        self.all.append(call)
        self.by_id[call.call_id] = call

    def prove(self, n: int, artifact: ArtifactStored) -> None:
        """An artifact is stored after its call ended. It, its uri or its summary names the call."""
        names = [artifact.call_id] if artifact.call_id else _named(artifact)
        for name in names:
            call = self.by_id.get(name)
            if call and call.started is not None and call.finished is None:
                call.artifact = n


def _named(artifact: ArtifactStored) -> list[str]:
    return _WORDS.split(f"{artifact.uri} {artifact.summary or ''}")


def call_row(session: int, call: Call, pending: bool, left_out: int | None) -> CallRow:
    """`pending`: nothing after it has settled that the session goes on without the call.
    `left_out`: ordinal of the window that a repair made without it."""
    state, outcome, reason = _class(call)
    legal = "its approval is pending" if state == "awaiting" and pending else None
    if left_out is not None:
        legal = f"left out of the window by the note at ordinal {left_out}"
    return CallRow(
        session=session,
        n=call.n,
        part=0,
        call_id=call.call_id,
        lane="main",
        pos=call.n,
        name=call.name,
        state=state,
        outcome=outcome,
        reason=reason,
        evidence=f"record {call.artifact}" if call.artifact is not None else None,
        side_effect=call.side_effect or "unknown",
        batch=call.batch,
        legal_open=legal,
        malformed=call.malformed,
    )


def _class(call: Call) -> tuple[str, str, str | None]:
    if call.finished is not None:
        state = "failed" if (call.status or "").lower() in _ERROR else "completed"
        return state, "recorded", None
    if call.started is not None:
        if call.artifact is not None:
            return "running", "recorded", "an artifact of its output was stored"
        return "running", "unknown", "it was started and no end is stored"
    return _not_started(call)


def _not_started(call: Call) -> tuple[str, str, str]:
    if call.denied is not None:
        return "denied", "never_started", "it was denied"
    if call.approved:
        return "proposed", "unknown", "it was approved; whether it was started is not stored"
    if call.needs_approval:
        return "awaiting", "never_started", "its approval was pending"
    return "proposed", "never_started", "it was proposed, and neither approved nor started"


def result_row(session: int, n: int, payload: ToolFinished) -> ResultRow:
    data = bytes(payload.result) if payload.result is not UNSET else b""
    data = data or (payload.artifact or "").encode("utf-8", "surrogatepass")
    marked = payload.suture is not UNSET
    return ResultRow(
        session=session,
        n=n,
        part=0,
        call_id=payload.call_id,
        lane="main",
        pos=n,
        status=_status(payload.status),
        placeholder=marked,
        marked=marked,
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _status(stored: str | None) -> str | None:
    word = (stored or "").lower()
    return "ok" if word in _OK else "error" if word in _ERROR else None


def denial_row(session: int, call: Call) -> ResultRow:
    """A denial is the last word on a call, unless an end is stored in spite of it."""
    assert call.denied is not None
    return ResultRow(
        session, call.denied, 0, call.call_id, "main", call.denied, status="error", bytes=0
    )
