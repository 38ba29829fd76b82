"""The content of an event as blocks; texts and native bytes in the full pass only."""

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from suture.model.rows import PartRow
from suture.stores.eventlog.lines import Event
from suture.stores.eventlog.payloads import MessageAppended

_TYPES = {"text": "text", "thinking": "reasoning", "reasoning": "reasoning", "image": "image"}
_CALLS = {"tool.proposed": "call", "tool.finished": "result", "tool.denied": "result"}


class _Parts(Struct):
    content: Raw = Raw()
    arguments: Raw = Raw()
    result: Raw = Raw()


class _Block(Struct):
    type: str = "other"
    text: str | None = None


_parts = msgspec.json.Decoder(_Parts).decode
_blocks = msgspec.json.Decoder(list[Raw]).decode
_block = msgspec.json.Decoder(_Block).decode
_text = msgspec.json.Decoder(str).decode


def parts(
    session: int, n: int, kind: str, event: Event, call_id: str | None, full: bool
) -> Iterator[PartRow]:
    """A call, and each event on it, is one part that names it."""
    if not full:
        yield PartRow(session, n, 0, _CALLS.get(event.type or "", "other"), call_id)
        return
    try:
        found = _parts(event.raw or b"{}")
    except (ValueError, RecursionError):
        return
    if call_id is not None:
        raw = found.arguments if kind == "call" else found.result
        data = bytes(raw) if raw else None
        shown = _shown(data) if data else None
        size = len(data) if data else None
        yield PartRow(
            session, n, 0, _CALLS.get(event.type or "", "other"), call_id, size, shown, data
        )
    elif isinstance(event.payload, MessageAppended) and found.content:
        yield from _content(session, n, bytes(found.content))


def _content(session: int, n: int, data: bytes) -> Iterator[PartRow]:
    if data[:1] == b'"':
        yield PartRow(session, n, 0, "text", None, len(data), _shown(data), data)
        return
    try:
        blocks = [bytes(raw) for raw in _blocks(data)]
        typed = [_block(raw) for raw in blocks]
    except (ValueError, RecursionError):
        yield PartRow(session, n, 0, "other", None, len(data), _shown(data), data)
        return
    for number, (raw, block) in enumerate(zip(blocks, typed, strict=True)):
        shown = block.text if block.text is not None else _shown(raw)
        kind = _TYPES.get(block.type, "other")
        yield PartRow(session, n, number, kind, None, len(raw), shown, raw)


def _shown(data: bytes) -> str:
    """A JSON text without its quotes; other JSON as it stands."""
    try:
        return _text(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")
