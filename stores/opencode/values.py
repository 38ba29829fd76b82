"""JSON as JavaScript reads it, and the values of a row."""

import json
import re
from typing import Any, NoReturn

import msgspec
from msgspec import Struct

from suture.model.edit import Value
from suture.stores._column_json import NO_JSON, read_slowly

_decode = msgspec.json.Decoder().decode
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


class Fault(Struct, frozen=True):
    kind: str  # name of the 1xx rule, with underscores
    detail: str
    blocks: bool = False  # the client refuses the session because of it


def parsed(text: Value, what: str) -> tuple[Any, Fault | None]:
    """The JSON value of a column or a file. Undecodable bytes of TEXT come as surrogate escapes."""
    if isinstance(text, str):
        try:
            return _decode(text), None
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return _slowly(text, what)
    if text is None:
        return None, Fault("bad_shape", f"{what} is NULL", True)
    kind = "a BLOB, not text" if isinstance(text, bytes) else "a number, not JSON text"
    return None, Fault("bad_json", f"{what} is {kind}", True)


def _slowly(text: str, what: str) -> tuple[Any, Fault | None]:
    shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        value = json.loads(shown, parse_constant=_refuse)
    except RecursionError:
        value, odd = read_slowly(shown, what)
        return (None if value is NO_JSON else value), Fault(odd.kind, odd.detail, value is NO_JSON)
    except ValueError:
        return None, Fault("bad_json", f"{what} is not JSON", True)
    if shown != text:
        return value, Fault("invalid_utf8", f"{what} holds bytes that are not UTF-8")
    if _HALF.search(text):
        return value, Fault("lone_surrogate", f"{what} holds half of a UTF-16 pair")
    return value, None


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def written(value: object, indent: int | None = None) -> str:
    """The text of a JSON value, as compact as the client writes it."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair has no form but its escape
        return json.dumps(value, separators=separators, indent=indent)
    return text


def at(value: Any, *keys: str) -> Any:
    """A value inside objects; None where there is none."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def integer(value: Any) -> int | None:
    """SQLite and JSON both may hold 5.0 where 5 is meant."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and abs(value) < 2**63 else None  # no bool


def says_when(body: Any) -> bool:
    """Whether JavaScript can compare the time of a message with another; null counts as 0."""
    time = body.get("time")
    if not isinstance(time, dict) or "created" not in time:
        return False
    value = time["created"]
    if isinstance(value, str):
        return value.strip().replace(".", "", 1).isdecimal()
    return not isinstance(value, dict | list)


def milliseconds(value: Any) -> int | None:
    """A time as JavaScript can hold it."""
    found = integer(value)
    return found if found is not None and abs(found) < 2**53 else None


def microseconds(value: Any) -> int | None:
    """Every time of the store is in milliseconds."""
    found = milliseconds(value)
    return None if found is None else found * 1000


def agrees(wanted: Any, found: Any) -> bool:
    """Equal, but `found` may hold keys more: a row is not filtered by the schema, an event is."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            key in found and agrees(value, found[key]) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(wanted) == len(found)
            and all(map(agrees, wanted, found))
        )
    return isinstance(wanted, bool) == isinstance(found, bool) and bool(wanted == found)
