"""One line of a rollout, decoded without its texts."""

from struct import Struct as Layout
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

T = TypeVar("T", bound=Struct)
NOTHING = Raw(b"")  # a key that is absent
first_byte = Layout("c").unpack_from  # of what is not empty; a memoryview costs twice as much


def starts_with(value: Raw, byte: bytes) -> bool:
    return bool(value) and first_byte(value)[0] == byte


class Passthrough(Struct, gc=False):
    turn_id: str | None = None
    content_item_kinds: Raw = NOTHING  # a client takes any value


class Item(Struct, gc=False):
    """What an `item_completed` event tells of an item; texts stay undecoded."""

    type: str | None = None
    id: str | None = None
    status: str | None = None
    exit_code: int | None = None


class Base(Struct, gc=False):
    thread_id: str | None = None
    end_ordinal_exclusive: int | None = None
    end_byte_offset: int | None = None


class Payload(Struct, gc=False):
    """The keys of every payload type that a reader needs, in one flat struct.

    One struct for all types makes an unknown type cost nothing; Raw where types disagree.
    """

    type: str | None = None
    id: str | None = None
    role: str | None = None
    content: Raw = NOTHING
    phase: str | None = None
    summary: Raw = NOTHING
    name: str | None = None
    namespace: Raw = NOTHING
    arguments: Raw = NOTHING
    input: Raw = NOTHING
    call_id: str | None = None
    output: Raw = NOTHING
    status: Raw = NOTHING
    execution: str | None = None
    tools: Raw = NOTHING
    encrypted_content: Raw = NOTHING
    turn_id: str | None = None
    internal_chat_message_metadata_passthrough: Passthrough | None = None
    item: Item | None = None
    info: Raw = NOTHING
    usage: Raw = NOTHING
    response_id: str | None = None
    error: Raw = NOTHING
    num_turns: int | None = None
    replacement_history: "list[Payload] | None" = None
    cwd: str | None = None
    model: str | None = None
    timestamp: str | None = None
    cli_version: str | None = None
    model_provider: str | None = None
    history_mode: str | None = None
    history_base: Base | None = None
    forked_from_id: str | None = None
    forked_from_ordinal_exclusive: int | None = None
    parent_thread_id: str | None = None
    thread_source: str | None = None


class Line(Struct, gc=False):
    timestamp: str | None = None
    ordinal: int | None = None
    type: str | None = None
    payload: Payload | None = None


decode = msgspec.json.Decoder(Line).decode

_NO_PAYLOAD = Payload()


def lenient(value: object) -> tuple[Line, list[str]]:
    """What can be read of an object whose keys have other types than every client writes."""
    if not isinstance(value, dict):
        return Line(), []
    wrong: list[str] = []
    line = _convert(value, Line, ("payload",), "", wrong)
    payload = value.get("payload")
    if isinstance(payload, dict):
        line.payload = _payload(payload, "payload.", wrong)
    elif payload is not None:
        wrong.append(f"payload is {_name(payload)}")
    return line, wrong


def _payload(value: dict[str, Any], prefix: str, wrong: list[str]) -> Payload:
    payload = _convert(value, Payload, ("replacement_history",), prefix, wrong)
    history = value.get("replacement_history")
    if isinstance(history, list):
        payload.replacement_history = [
            _payload(item, f"{prefix}replacement_history[{i}].", wrong)
            if isinstance(item, dict)
            else _NO_PAYLOAD
            for i, item in enumerate(history)
        ]
    elif history is not None:
        wrong.append(f"{prefix}replacement_history is {_name(history)}")
    return payload


def _convert(
    value: dict[str, Any], kind: type[T], later: tuple[str, ...], prefix: str, wrong: list[str]
) -> T:
    line = kind()
    for field in msgspec.structs.fields(kind):
        if field.name not in value or field.name in later:
            continue
        given = value[field.name]
        try:
            if field.type is Raw:
                setattr(line, field.name, Raw(msgspec.json.encode(given)))
            else:
                setattr(line, field.name, msgspec.convert(given, field.type))
        except (msgspec.ValidationError, UnicodeEncodeError, OverflowError, RecursionError):
            wrong.append(f"{prefix}{field.name} is {_name(given)}")
    return line


def _name(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"
