"""Rows of what a part holds: a call with its result, a text, anything else."""

from collections.abc import Iterator
from typing import Any

from suture.model.rows import CallRow, PartRow, ResultRow, StateRow
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import Message
from suture.stores.opencode.tools import Tool, encoded
from suture.stores.opencode.values import string

Out = Iterator[tuple[str, tuple[Any, ...]]]


def tool_rows(session: Session, n: int, called: Tool, message: Message) -> Out:
    if session.full:
        size = len(encoded(called.arguments))
        yield "part", PartRow(session.key, n, 0, "call", called.call_id, size)
    yield (
        "call",
        CallRow(
            session=session.key,
            n=n,
            part=0,
            call_id=called.call_id,
            lane="main",
            pos=n,
            name=called.name,
            state=called.state,
            outcome=called.outcome,
            reason=called.reason,
            batch=message.id,
            malformed=called.malformed,
        ),
    )
    if called.result is None:
        return
    if not called.shown:
        yield "state_kv", StateRow(session.key, n, "hidden", "interrupted", called.call_id)
    data = called.result.encode("utf-8", "replace")
    if session.full:
        said = called.result
        yield "part", PartRow(session.key, n, 1, "result", called.call_id, len(data), said, None)
    yield (
        "result",
        ResultRow(
            session=session.key,
            n=n,
            part=1,
            call_id=called.call_id,
            lane="main",
            pos=n,
            status="error" if called.failed else "ok",
            placeholder=called.placeholder,
            marked=called.marked,
            digest=called.digest,
            bytes=len(data),
        ),
    )


def plain_row(session: Session, n: int, kind: str, body: dict[str, Any]) -> PartRow:
    known = {"text": "text", "reasoning": "reasoning", "file": "image"}
    text = string(body.get("text"))
    size = len((text or "").encode("utf-8", "replace"))
    return PartRow(
        session.key,
        n,
        0,
        known.get(kind, "other"),
        None,
        size,
        text,
        encoded(body),
    )
