"""Rows of what a part holds: a call with its result, a text, anything else."""

from typing import Any

from suture.model.rows import PartRow, StateRow
from suture.stores.opencode.rows import Rows
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import Message
from suture.stores.opencode.tools import Tool, encoded
from suture.stores.opencode.values import string


def tool_rows(
    session: Session, n: int, called: Tool, message: Message, body: dict[str, Any], rows: Rows
) -> None:
    if session.full:
        size = len(encoded(called.arguments))
        row = PartRow(session.key, n, 0, "call", called.call_id, size, data=encoded(body))
        rows.add("part", row)
    rows.calls.append(
        (
            *(n, n, called.call_id, called.name, called.state, called.outcome, called.reason),
            *(message.id, called.malformed),
        )
    )
    if called.result is None:
        return
    if not called.shown:
        rows.add("state_kv", StateRow(session.key, n, "hidden", "interrupted", called.call_id))
    data = called.result.encode("utf-8", "replace")
    if session.full:
        said = called.result
        rows.add("part", PartRow(session.key, n, 1, "result", called.call_id, len(data), said))
    rows.results.append(
        (
            *(n, n, called.call_id, "error" if called.failed else "ok"),
            *(called.placeholder, called.marked, called.digest, len(data)),
        )
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
