"""The lines of a transcript as typed values; what is not asked for is skipped, not decoded."""

import json
from collections.abc import Mapping

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

Text = str | None
Count = int | float | None  # another writer of JSON may make 3.0 of 3: one number to any client


class Block(Struct, gc=False):
    """A content block of any kind. `Raw` is a view of the line: no text is copied."""

    type: str = ""
    id: Text = None
    tool_use_id: Text = None
    name: Text = None
    input: Raw | UnsetType = UNSET
    content: Raw | UnsetType = UNSET
    is_error: bool | None = None
    text: Raw | UnsetType = UNSET
    thinking: Raw | UnsetType = UNSET
    signature: Raw | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    source: Raw | UnsetType = UNSET


class Usage(Struct, gc=False):
    input_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None
    output_tokens: Count = None


class Message(Struct):
    model: Text = None
    id: Text = None
    role: Text = None
    content: str | list[Block] | None = None
    stop_reason: Text = None
    usage: Usage | None = None


class Attachment(Struct, gc=False):
    type: str = ""


class Segment(Struct, gc=False, rename="camel"):
    head_uuid: Text = None
    anchor_uuid: Text = None
    tail_uuid: Text = None


class Preserved(Struct, rename="camel"):
    anchor_uuid: Text = None
    uuids: list[str] | None = None


class CompactMetadata(Struct, rename="camel"):
    trigger: Text = None
    pre_tokens: Count = None
    post_tokens: Count = None
    preserved_segment: Segment | None = None
    preserved_messages: Preserved | None = None


class Line(Struct, rename="camel"):
    parent_uuid: str | UnsetType | None = UNSET
    logical_parent_uuid: Text = None
    is_sidechain: bool | None = None
    prompt_id: Text = None
    agent_id: Text = None
    message: Message | None = None
    type: str = ""
    subtype: Text = None
    attachment: Attachment | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_synthetic: bool | None = None
    is_api_error_message: bool | None = None
    uuid: Text = None
    timestamp: Text = None
    compact_metadata: CompactMetadata | None = None
    source_tool_assistant_uuid: Text = msgspec.field(name="sourceToolAssistantUUID", default=None)
    tool_use_result: Raw | UnsetType = UNSET
    forked_from: Raw | UnsetType = UNSET
    cwd: Text = None
    session_id: Text = None
    version: Text = None
    leaf_uuid: Text = None
    operation: Text = None
    content: Raw | UnsetType = UNSET
    custom_title: Text = None
    ai_title: Text = None
    summary: Text = None


decode = msgspec.json.Decoder(Line).decode

_WRONG = object()


def from_object(value: Mapping[str, object]) -> tuple[Line, list[str]]:
    """The line of a JSON object whose fields may be of any type, and the names of the wrong ones.

    A wrong field counts as absent, so one of them costs nothing else of the line.
    """
    wrong: list[str] = []
    line = _struct(Line, value, "", wrong)
    assert isinstance(line, Line)
    return line, wrong


def _struct(kind: type[Struct], value: Mapping[str, object], at: str, wrong: list[str]) -> Struct:
    found = kind()
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in value:
            continue
        place = f"{at}{field.encode_name}"
        taken = _field(field.name, value[field.encode_name], place, wrong)
        if taken is not _WRONG:
            setattr(found, field.name, taken)
    return found


_STRUCTS: dict[str, type[Struct]] = {
    "message": Message,
    "usage": Usage,
    "attachment": Attachment,
    "compact_metadata": CompactMetadata,
    "preserved_segment": Segment,
    "preserved_messages": Preserved,
}
_RAW = frozenset(
    {"input", "text", "thinking", "signature", "data", "source", "tool_use_result", "forked_from"}
)


def _field(name: str, value: object, place: str, wrong: list[str]) -> object:
    if name in _RAW or (name == "content" and place != "message.content"):
        return raw(value)
    if value is None and name != "type":
        return None
    if name in _STRUCTS and isinstance(value, dict):
        return _struct(_STRUCTS[name], value, f"{place}.", wrong)
    if name == "content":
        taken: object = _content(value, place, wrong)
    elif name.startswith("is_"):
        taken = value if isinstance(value, bool) else _WRONG
    elif name.endswith("_tokens"):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        taken = value if is_number else _WRONG
    elif name == "uuids":
        taken = [i for i in value if isinstance(i, str)] if isinstance(value, list) else _WRONG
    else:
        taken = value if isinstance(value, str) and name not in _STRUCTS else _WRONG
    if taken is _WRONG:
        wrong.append(place)
    return taken


def _content(value: object, place: str, wrong: list[str]) -> object:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return _WRONG
    blocks: list[Block] = []
    for number, item in enumerate(value):
        if isinstance(item, dict):
            block = _struct(Block, item, f"{place}[{number}].", wrong)
            assert isinstance(block, Block)
            blocks.append(block)
        elif isinstance(item, str):  # old versions wrote bare strings
            blocks.append(Block(type="text", text=raw(item)))
        else:
            wrong.append(f"{place}[{number}]")
            blocks.append(Block())
    return blocks


def raw(value: object) -> Raw:
    try:
        return Raw(json.dumps(value, separators=(",", ":")).encode())
    except (ValueError, RecursionError):  # a number of thousands of digits, or too deep
        return Raw(b"null")


def whole(count: Count) -> int | None:
    """None for what no count of tokens can be."""
    return int(count) if count is not None and 0 <= count < 1 << 63 else None
