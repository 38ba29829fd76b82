"""One line of a chat as a typed record; what does not fit is kept as far as it does."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct, field


class ToolCall(Struct, gc=False):
    id: str | None = None
    name: str | None = None
    args: Raw = Raw()
    result: Raw = Raw()
    status: str | None = None


class Message(Struct):
    id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    content: Raw = Raw()
    calls: list[ToolCall] | None = field(default=None, name="toolCalls")
    model: str | None = None


class Patch(Struct):
    messages: list[Message] | None = None  # takes the place of all messages before
    summary: str | None = None


class Line(Message):
    session_id: str | None = field(default=None, name="sessionId")
    project: str | None = field(default=None, name="projectHash")
    started: str | None = field(default=None, name="startTime")
    kind: str | None = None  # main | subagent
    summary: str | None = None
    patch: Patch | None = field(default=None, name="$set")
    rewind: str | None = field(default=None, name="$rewindTo")

    @property
    def is_header(self) -> bool:
        """Also one that has lost the id, or the hash: the client takes it for an older form."""
        return self.type is None and (self.session_id or self.project) is not None


decode = msgspec.json.Decoder(Line).decode
members = msgspec.json.Decoder(dict[str, Raw]).decode
items = msgspec.json.Decoder(list[Raw]).decode


def from_object(value: Mapping[str, object]) -> Line:
    """A field of another type counts as absent."""
    fitting: dict[str, Any] = {}
    for known in msgspec.structs.fields(Line):
        if known.encode_name in value:
            try:
                encoded = msgspec.json.encode(value[known.encode_name])
                fitting[known.name] = msgspec.json.decode(encoded, type=known.type)
            except (ValueError, RecursionError, OverflowError):
                continue
    return Line(**fitting)
