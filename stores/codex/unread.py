"""Items that no client can read. It leaves out the line of such a one without a word, and a
compaction that stores one (measured on 0.150 and 0.171)."""

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from suture.stores.codex.lines import NOTHING, Payload, first_byte, starts_with

_TEXT, _LIST = b'"', b"["
_SPOKEN = (b'[{"type":"input_text","text":"', b'[{"type":"output_text","text":"')
_SUMMARY = (b'[{"type":"summary_text","text":"',)
_PHASES = (None, "commentary", "final_answer")
_NULL = b"null"
_QUOTED = (_TEXT,)
_CALLS = ("function_call", "custom_tool_call")
_OF_MESSAGE = ("status", "encrypted_content")  # of 0.171
_OF_CALL = ("namespace", *_OF_MESSAGE)
_AT = re.compile(r"\$\[(\d+)\]")  # where a value is that has no place in a list


class _Input(Struct, tag="input_text", gc=False):
    text: str


class _Output(Struct, tag="output_text", gc=False):
    text: str


class _Image(Struct, tag="input_image", gc=False):
    image_url: Raw = NOTHING
    file_id: Raw = NOTHING
    detail: Literal["auto", "low", "high", "original"] | None = None


class _Encrypted(Struct, tag="encrypted_content", gc=False):
    encrypted_content: str


class _Summary(Struct, tag="summary_text", gc=False):
    text: str


class _Thought(Struct, tag="reasoning_text", gc=False):
    text: str


class _Text(Struct, tag="text", gc=False):
    text: str


Decoder = msgspec.json.Decoder[list[Any]]
_said: Decoder = msgspec.json.Decoder(list[_Input | _Output | _Image])
_returned: Decoder = msgspec.json.Decoder(list[_Input | _Image | _Encrypted])
_passed_on: Decoder = msgspec.json.Decoder(list[_Input | _Encrypted])
_summed: Decoder = msgspec.json.Decoder(list[_Summary])
_thought: Decoder = msgspec.json.Decoder(list[_Thought | _Text])


def message(item: Payload) -> str | None:
    """Why a client cannot read it, and so for the other kinds."""
    if item.role is None:
        return "payload.role is missing"
    if item.phase not in _PHASES:
        return f"payload.phase is {item.phase!r:.40}, none that a client knows"
    if item.status or item.encrypted_content:
        found = _beside(item, *_OF_MESSAGE)
        if found is not None:
            return found
    if _is_onetext(bytes(item.content), _SPOKEN):
        return None
    return _blocks("content", item.content, _said)


def _is_onetext(data: bytes, starts: tuple[bytes, ...]) -> bool:
    """One and nothing else: nearly all of them. The others are decoded."""
    return data.startswith(starts) and data.endswith(b'"}]') and data.find(b'"},') < 0


def reasoning(item: Payload) -> str | None:
    summary, found = bytes(item.summary), None
    if summary != b"[]" and not _is_onetext(summary, _SUMMARY):
        found = _blocks("summary", item.summary, _summed)
    if found is None and item.content and bytes(item.content) != _NULL:
        found = _blocks("content", item.content, _thought)
    if found is None and item.encrypted_content and first_byte(item.encrypted_content) != _QUOTED:
        return _beside(item, "encrypted_content")
    return found


def call(item: Payload) -> str | None:
    if item.type not in _CALLS:
        return None  # of a rare one more is wanted
    for name in ("name", "call_id"):
        if getattr(item, name) is None:
            return f"payload.{name} is missing"
    given = "arguments" if item.type == "function_call" else "input"
    return text(given, getattr(item, given)) or _beside(item, *_OF_CALL)


def output(item: Payload) -> str | None:
    if item.type == "tool_search_output":
        return None
    if item.call_id is None and item.type == "custom_tool_call_output":
        return "payload.call_id is missing"
    if item.namespace and item.type == "function_call_output":
        found = _beside(item, "namespace")
        if found is not None:
            return found
    if starts_with(item.output, _TEXT):
        return None
    return _blocks("output", item.output, _returned)


def other(item: Payload) -> str | None:
    if item.type in ("compaction", "compaction_summary"):
        return text("encrypted_content", item.encrypted_content)
    if item.type == "context_compaction":
        return _beside(item, "encrypted_content")
    if item.type == "agent_message":
        return _blocks("content", item.content, _passed_on)
    return None


def stored(items: Sequence[Payload]) -> str | None:
    """Of the items that a compaction stores."""
    for part, item in enumerate(items):
        found = _stored(item)
        if found is not None:
            return within(part, found)
    return None


def within(part: int, why: str) -> str:
    return f"item {part} of what it stores: {why.removeprefix('payload.')}"


def _stored(item: Payload) -> str | None:
    if item.type is None:
        return "it has no type"
    return _BY_TYPE.get(item.type, other)(item)


_BY_TYPE = {
    "message": message,
    "reasoning": reasoning,
    "function_call": call,
    "custom_tool_call": call,
    "function_call_output": output,
    "custom_tool_call_output": output,
}


def text(name: str, value: Raw) -> str | None:
    return None if starts_with(value, _TEXT) else _another(name, value)


def _beside(item: Payload, *names: str) -> str | None:
    """Of keys that may be absent or null."""
    for name in names:
        value = getattr(item, name)
        if value and not starts_with(value, _TEXT) and bytes(value) != _NULL:
            return _another(name, value)
    return None


def _another(name: str, value: Raw) -> str:
    return f"payload.{name} is {'of another type' if value else 'missing'}"


def _blocks(name: str, value: Raw, decoder: Decoder) -> str | None:
    if not starts_with(value, _LIST):
        return _another(name, value)
    try:
        blocks = decoder.decode(value)
    except msgspec.ValidationError as error:
        at = _AT.search(str(error))
        which = f"block {int(at[1]) + 1}" if at else "a block"
        return f"{which} of payload.{name} is none that a client reads"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # a line that is no JSON has other findings
    for number, block in enumerate(blocks, 1):
        if not _shows(block):
            return f"block {number} of payload.{name} is an image without an address"
    return None


def _shows(block: object) -> bool:
    if not isinstance(block, _Image):
        return True
    places = (block.image_url, block.file_id)
    return any(starts_with(place, _TEXT) for place in places)
