"""What lines outside the talk state: compactions, leaves, titles, queued input."""

import json

from msgspec import UNSET, Raw, UnsetType

from suture.stores.claude_code.lines import CompactMetadata, Line
from suture.stores.claude_code.records import CHAINED, TALK
from suture.stores.claude_code.view import Boundary, Transcript

_TALK = CHAINED | TALK
_decode = json.JSONDecoder(strict=False).decode


def boundary(found: Transcript, n: int, line: Line) -> None:
    """Call before the marks of the record are there."""
    last = found.boundaries[-1] if found.boundaries else None
    first, talk = (last.n, last.talk_before) if last is not None else (0, 0)
    talk += sum(mark & _TALK == _TALK for mark in found.records.marks[first:n])
    meta = line.compact_metadata or CompactMetadata()
    found.boundaries.append(Boundary(n, line.uuid, line.logical_parent_uuid, meta, talk))


def state(found: Transcript, n: int, line: Line) -> None:
    if line.type == "last-prompt":
        if line.leaf_uuid is not None:
            found.hints.append((n, line.leaf_uuid))
        return
    if line.type == "queue-operation":
        found.states.append((n, "queue", line.operation or "", _string(line.content)))
    for key, value in (
        ("custom-title", line.custom_title),
        ("ai-title", line.ai_title),
        ("summary", line.summary),
    ):
        if value is not None:
            found.states.append((n, "title", key, value))


def _string(content: Raw | UnsetType) -> str | None:
    if content is UNSET:
        return None
    text = bytes(memoryview(content)).decode("utf-8", "replace")
    value = _decode(text)
    return value if isinstance(value, str) else text
