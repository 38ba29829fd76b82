"""Who speaks in a message item."""

import msgspec
from msgspec import Raw, Struct

from suture.stores.codex.lines import Payload
from suture.stores.codex.vocabulary import INJECTED


class Block(Struct, gc=False):
    type: str | None = None
    text: str | None = None


_kinds = msgspec.json.Decoder(list[str] | None).decode
_blocks = msgspec.json.Decoder(list[Block]).decode


def blocks(content: Raw) -> list[Block]:
    """The content of a message; empty when it is no list of objects."""
    try:
        return _blocks(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def _kinds_of(told: Raw) -> list[str] | None:
    if not told:
        return None
    try:
        return _kinds(told)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def message_kind(payload: Payload) -> str:
    """A prompt is what a person typed; everything else of role user was put there by Codex."""
    if payload.role == "assistant":
        return "reply"
    if payload.role != "user":
        return "injected"
    through = payload.internal_chat_message_metadata_passthrough
    kinds = _kinds_of(through.content_item_kinds) if through is not None else None
    if kinds:
        return "prompt" if any(kind.startswith("user") for kind in kinds) else "injected"
    first = next((block.text for block in blocks(payload.content) if block.text), "")
    return "injected" if first.lstrip().startswith(INJECTED) else "prompt"
