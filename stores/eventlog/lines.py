"""One line as a typed event; what does not fit is kept as far as it does."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Raw, Struct

from suture.stores.eventlog.payloads import TYPES, Count, Id, Payload, Time

Hash = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$", max_length=71)]


class Line(Struct, gc=False):
    id: Id
    ordinal: Count
    ts: Time
    type: Id
    payload: Raw
    hash: Hash
    prev: Hash | None = None
    chain: Hash | None = None


class Event(Struct, gc=False):
    """A line with its payload. What a damaged line does not tell is None."""

    id: str | None
    ordinal: int | None
    ts: str | None
    type: str | None
    payload: Payload | None  # None for a type that this version does not know
    raw: bytes | None  # the payload as stored
    hash: str | None
    prev: str | None
    chain: str | None


_line = msgspec.json.Decoder(Line).decode
_payloads = {name: msgspec.json.Decoder(kind).decode for name, kind in TYPES.items()}
_object = msgspec.json.Decoder(dict[str, Raw]).decode


class _AnyLine(Struct):
    payload: Raw = Raw()


_any_line = msgspec.json.Decoder(_AnyLine).decode


def decode(data: bytes) -> Event:
    """Raises msgspec's errors for what no writer of this format writes."""
    line = _line(data)
    typed = _payloads.get(line.type, _object)
    try:
        payload = typed(line.payload)
    except msgspec.ValidationError as error:
        # told in places of the line, not of the payload
        raise msgspec.ValidationError(_in_payload(str(error))) from error
    return Event(
        line.id,
        line.ordinal,
        line.ts,
        line.type,
        payload if isinstance(payload, Payload) else None,
        bytes(line.payload),
        line.hash,
        line.prev,
        line.chain,
    )


def _in_payload(text: str) -> str:
    return text.replace("`$.", "`$.payload.") if "`$" in text else f"{text} - at `$.payload`"


def from_object(value: Mapping[str, object], data: bytes) -> Event:
    """The event of an object whose fields may have any type: a wrong field counts as absent."""
    kind = _fitting(value.get("type"), str)
    inner = value.get("payload")
    typed = TYPES.get(kind or "")
    return Event(
        _fitting(value.get("id"), Id),
        _fitting(value.get("ordinal"), Count),
        _fitting(value.get("ts"), Time),
        kind,
        _loose(typed, inner) if typed and isinstance(inner, dict) else None,
        _stored_payload(data),
        _fitting(value.get("hash"), Hash),
        _fitting(value.get("prev"), Hash),
        _fitting(value.get("chain"), Hash),
    )


def _loose(kind: type[Payload], value: dict[str, object]) -> Payload:
    fitting = {
        field.name: _fitting(value.get(field.encode_name), field.type)
        for field in msgspec.structs.fields(kind)
        if field.required or field.encode_name in value
    }
    return kind(**fitting)  # msgspec checks types when it decodes, not here


def _fitting(value: object, kind: Any) -> Any:
    try:
        if kind is Raw or Raw in get_args(kind):
            return Raw(json.dumps(value).encode())
        return msgspec.convert(value, kind)
    except (ValueError, RecursionError):  # also of half a surrogate pair, which is no UTF-8
        return None


def _stored_payload(data: bytes) -> bytes | None:
    try:
        return bytes(_any_line(data).payload) or None
    except (ValueError, RecursionError):
        return None
