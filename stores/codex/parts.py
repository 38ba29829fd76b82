"""The content blocks of a rollout's items, with their texts: the full pass."""

import msgspec
from msgspec import Raw

from suture.model.rows import PartRow
from suture.stores._sink import Sink
from suture.stores.codex.calls import output_text
from suture.stores.codex.lines import Line, Payload, decode
from suture.stores.codex.messages import blocks
from suture.stores.codex.records import Record
from suture.stores.codex.rollout import Rollout

_TYPES = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "input_image": "image",
    "summary_text": "reasoning",
    "reasoning_text": "reasoning",
}
_raws = msgspec.json.Decoder(list[Raw]).decode
_text = msgspec.json.Decoder(str).decode


class Full(msgspec.Struct, gc=False):
    """The payload again, whole: its bytes are kept verbatim."""

    payload: Raw = Raw(b"")


_full = msgspec.json.Decoder(Full).decode


class Summary(msgspec.Struct, gc=False):
    summary: Raw = Raw(b"")


_summary = msgspec.json.Decoder(Summary).decode


def add_parts(rollout: Rollout, session: int, sink: Sink) -> None:
    for record in rollout.records:
        if not record.type.startswith("response_item/"):
            continue
        raw = bytes(rollout.data[record.offset : record.offset + record.length])
        try:
            line: Line = decode(raw)
            payload = bytes(_full(raw).payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # damaged or oddly shaped: its bytes are in the record table's place
        if line.payload is not None:
            for row in _parts(session, record, line.payload, payload):
                sink.add("part", row)


def _parts(session: int, record: Record, item: Payload, raw: bytes) -> list[PartRow]:
    n = record.n
    match record.kind:
        case "prompt" | "reply" | "injected":
            return [_block(session, n, i, block) for i, block in enumerate(_list(item.content))]
        case "reasoning":
            parts = [*_list(_summary(raw).summary), *_list(item.content)]
            rows = [_block(session, n, i, block) for i, block in enumerate(parts)]
            return rows or [PartRow(session, n, 0, "reasoning", None, len(raw), None, raw)]
        case "call":
            text = _plain(item.arguments) or _plain(item.input)
            return [PartRow(session, n, 0, "call", item.call_id, len(raw), text, raw)]
        case "result":
            text = output_text(item.output)
            return [PartRow(session, n, 0, "result", item.call_id, len(raw), text, raw)]
        case _:
            return [PartRow(session, n, 0, "other", None, len(raw), None, raw)]


def _list(raw: Raw) -> list[bytes]:
    try:
        return [bytes(item) for item in _raws(raw)] if raw else []
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def _block(session: int, n: int, part: int, raw: bytes) -> PartRow:
    found = blocks(Raw(b"[" + raw + b"]"))
    block = found[0] if found else None
    kind = _TYPES.get(block.type or "", "other") if block is not None else "other"
    return PartRow(session, n, part, kind, None, len(raw), block.text if block else None, raw)


def _plain(raw: Raw) -> str | None:
    """A string as it is, any other value as JSON."""
    if not raw:
        return None
    try:
        return _text(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return bytes(raw).decode("utf-8", "replace")
