"""Bytes and values of rows as JSON, so that nothing is lost and a person can read the most."""

import json
import math
import re
from base64 import b64decode, b64encode
from typing import Any

import msgspec

from suture.model.edit import Value

Json = dict[str, Any] | list[Any] | str | int | float | bool | None

_UNPRINTABLE = re.compile(r"[^\x20-\x7e\n]")


def dumps(value: object) -> bytes:
    """Indented JSON in UTF-8. What a terminal would act on, or not show, is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)  # in C only without indent
    try:
        return msgspec.json.format(_UNPRINTABLE.sub(_escaped, text).encode(), indent=1) + b"\n"
    except msgspec.DecodeError:  # half of a UTF-16 pair
        text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
        return (_UNPRINTABLE.sub(_escaped, text) + "\n").encode()


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    return char if char.isprintable() else json.dumps(char)[1:-1]


def bytes_json(data: bytes) -> Json:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}


def bytes_from(value: Json) -> bytes:
    assert isinstance(value, dict)  # the schema says so
    if "text" in value:
        return str(value["text"]).encode("utf-8", "surrogatepass")
    return b64decode(str(value["base64"]), validate=True)


def value_json(value: Value) -> Json:
    if isinstance(value, bytes):
        return {"base64": b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    return value


def value_from(value: Json) -> Value:
    if isinstance(value, dict):
        if "float" in value:
            return float(str(value["float"]))
        return b64decode(str(value["base64"]), validate=True)
    assert not isinstance(value, list)
    return value
