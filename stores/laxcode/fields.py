"""What stands in the JSON columns, and what is wrong with them."""

import json
import re
from typing import Any, NamedTuple

import msgspec

from suture.model.edit import Value
from suture.stores._column_json import NO_JSON, read_slowly

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOTHING = (None, "", "null", b"", b"null")
_decode = msgspec.json.Decoder().decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_numbers = msgspec.json.Decoder(list[int], strict=True).decode


class Call(NamedTuple):
    id: str
    name: str | None
    malformed: str | None
    raw: bytes = b""  # the element as stored


class Problem(NamedTuple):
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str


class _PlainCall(msgspec.Struct):
    id: str
    name: str
    arguments: msgspec.Raw
    function: msgspec.Raw = msgspec.Raw()


_plain_calls = msgspec.json.Decoder(list[_PlainCall]).decode


def calls(value: Value, column: str) -> tuple[list[Call], Problem | None]:
    """Both spellings: `{id, name, arguments}`, and the one with a `function` object inside."""
    if value in _NOTHING:
        return [], None
    decoded, problem = _json(value, column)
    if not isinstance(decoded, list):
        return [], problem or _shape(column, "is no array")
    found = []
    for item, raw in zip(decoded, _stored(value, decoded), strict=True):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            problem = problem or _shape(column, "has an element without a string id")
            continue
        inner = item.get("function")
        body = inner if isinstance(inner, dict) else item
        name = body.get("name")
        shown = name if isinstance(name, str) else None
        found.append(Call(item["id"], shown, _malformed(name, body.get("arguments")), raw))
    return found, problem


def _stored(value: Value, decoded: list[Any]) -> list[bytes]:
    """Each element as it stands, or made anew where the array cannot be taken apart."""
    try:
        return [bytes(raw) for raw in _elements(value)]  # type: ignore[arg-type]  # it is text
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return [json.dumps(item).encode() for item in decoded]


def plain_calls(value: Value, column: str) -> tuple[list[Call], Problem | None]:
    """The same without the bytes of each call, at the price that a check can pay a row."""
    if value in _NOTHING:
        return [], None
    try:
        found = _plain_calls(value)  # type: ignore[arg-type]  # a number is refused
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
        return calls(value, column)
    if any(_is_odd(call) for call in found):
        return calls(value, column)
    return [Call(call.id, call.name, None) for call in found], None


def _is_odd(call: _PlainCall) -> bool:
    arguments = memoryview(call.arguments)
    return (
        not call.name
        or _CONTROL.search(call.name) is not None
        or not arguments
        or arguments[0] != 0x7B  # `{`
        or len(memoryview(call.function)) > 0
    )


def _malformed(name: Any, arguments: Any) -> str | None:
    if not isinstance(name, str) or not name:
        return "it has no name"
    if _CONTROL.search(name):
        return "its name holds control bytes"
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return "its arguments are not JSON"
    return None if isinstance(arguments, dict) else "its arguments are no object"


def numbers(value: Value, column: str) -> tuple[list[int], Problem | None]:
    """The originals that a row of a window stands for."""
    try:
        found = _numbers(value)  # type: ignore[arg-type]  # a number is refused
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
        found = []
    if found:
        return found, None
    _, problem = _json(value, column) if value not in (None, "", b"") else (None, None)
    return [], problem or _shape(column, "is no array of whole numbers")


def _json(value: Value, column: str) -> tuple[Any, Problem | None]:
    if not isinstance(value, str | bytes):
        return None, _shape(column, "is a number, not JSON text")
    try:
        return _decode(value), None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        found, odd = read_slowly(value, column)
        return (None if found is NO_JSON else found), Problem(odd.kind, column, odd.detail)


def _shape(column: str, what: str) -> Problem:
    return Problem("bad_shape", column, f"{column} {what}")
