"""What stands in the JSON columns, and what is wrong with them."""

import json
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from suture.model.edit import Value
from suture.stores.laxcode.tables import Record, string

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_decode = msgspec.json.Decoder().decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    name: str | None
    malformed: str | None
    raw: bytes  # the element as stored


@dataclass(frozen=True, slots=True)
class Problem:
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str


def calls(row: Record) -> tuple[list[Call], Problem | None]:
    """Both spellings: `{id, name, arguments}`, and the one with a `function` object inside."""
    value, problem = _json(row, "tool_calls")
    if problem or value is None:
        return [], problem
    if not isinstance(value, list):
        return [], _shape("tool_calls", "is no array")
    found = []
    for item, raw in zip(value, _elements(_stored_text(row, "tool_calls")), strict=True):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            problem = _shape("tool_calls", "has an element without a string id")
            continue
        inner = item.get("function")
        body = inner if isinstance(inner, dict) else item
        name = body.get("name")
        shown = name if isinstance(name, str) else None
        malformed = _malformed(name, body.get("arguments"))
        found.append(Call(item["id"], shown, malformed, bytes(raw)))
    return found, problem


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


def original_seqs(row: Record) -> tuple[list[int], Problem | None]:
    value, problem = _json(row, "original_seqs")
    if problem:
        return [], problem
    if not isinstance(value, list) or not value or not all(type(seq) is int for seq in value):
        return [], _shape("original_seqs", "is no array of whole numbers")
    return value, None


def answered(row: Record) -> str | None:
    """The call that a row answers."""
    return string(row.get("tool_call_id")) if row.get("role") == "tool" else None


def content(row: Record) -> str:
    return string(row.get("content")) or ""


def _stored_text(row: Record, field: str) -> str | bytes:
    value = row[field]
    assert isinstance(value, str | bytes)
    return value


# A BLOB stands for itself in hexadecimal: it has no form in JSON.
encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=bytes.hex).encode


def _json(row: Record, field: str) -> tuple[Any, Problem | None]:
    value: Value = row.get(field)
    if value is None or value in ("", b""):
        return None, None
    if not isinstance(value, str | bytes):
        return None, _shape(field, "is a number, not JSON text")
    try:
        return _decode(value), None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None, Problem("bad_json", field, f"{field} is not JSON")


def _shape(field: str, what: str) -> Problem:
    return Problem("bad_shape", field, f"{field} {what}")
