"""What an event holds, and what is wrong with one. A pickle is never loaded."""

import pickletools
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from suture.model.edit import Value
from suture.stores._column_json import NO_JSON, read_slowly
from suture.stores._tables import Record
from suture.stores._times import microseconds
from suture.stores.google_adk.clock import for_variant
from suture.stores.google_adk.tables import V0, Stored

_decode = msgspec.json.Decoder().decode
Object = dict[str, Any]


class Problem(Struct, frozen=True):
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str
    fixable: bool = False
    fill: str | None = None


class Event(Struct, frozen=True):
    """One that a repair may change."""

    id: str
    value: Object  # empty if it cannot be read

    @property
    def author(self) -> str:
        return str(self.value.get("author") or "")

    @property
    def actions(self) -> Object:
        return object_of(self.value, "actions") or {}

    @property
    def parts(self) -> list[Object]:
        return parts_of(self.value)


def is_plain(data: Value) -> bool:
    """Whether the JSON can be written anew without a change."""
    return not _loaded(data)[1]


def event(row: Record, variant: str) -> Event:
    value, _ = _old(row) if variant == V0 else _loaded(row.get("event_data"))
    return Event(str(row["id"]), value)


def values(stored: Stored) -> Iterator[tuple[Object, list[Problem]]]:
    """What each event of a session holds: empty if it cannot be read, and why."""
    if stored.variant == V0:
        return map(_old, stored.events)
    return map(_loaded, stored.column("event_data"))


def object_of(value: Object, name: str) -> Object | None:
    found = value.get(name)
    return found if isinstance(found, dict) else None


def parts_of(value: Object) -> list[Object]:
    content = value.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return [p for p in parts if isinstance(p, dict)] if isinstance(parts, list) else []


def call_of(part: Object) -> Object | None:
    return object_of(part, "function_call")


def response_of(part: Object) -> Object | None:
    return object_of(part, "function_response")


def response_text(response: Object) -> str:
    body = object_of(response, "response") or {}
    said = body.get("result")
    return said if isinstance(said, str) else ""


def state_problems(row: Record) -> list[Problem]:
    """Of a session, a user or an application: no session of theirs is loaded without it."""
    if "state" not in row:
        return []
    return [msgspec.structs.replace(p, fixable=False) for p in _loaded(row["state"], "state")[1]]


def _loaded(data: Value, field: str = "event_data") -> tuple[Object, list[Problem]]:
    try:
        value = _decode(data)  # type: ignore[arg-type]
    except TypeError:
        what = "NULL" if data is None else f"a {type(data).__name__}"
        return {}, [Problem("bad_shape", field, f"{field} is {what}")]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        assert isinstance(data, str | bytes)
        value, problem = _slowly(data, field)
        return (value if isinstance(value, dict) else {}), [problem]
    if not isinstance(value, dict):
        return {}, [Problem("bad_shape", field, f"{field} is no object")]
    return value, []


def _slowly(data: str | bytes, field: str) -> tuple[Any, Problem]:
    value, odd = read_slowly(data, field)
    return value, Problem(odd.kind, field, odd.detail, fixable=odd.fixable)


def odd_time(stored: Value, variant: str) -> Problem:
    known = microseconds(stored)
    if known is None:
        return Problem("bad_shape", "timestamp", "timestamp is no time")
    what = "text among numbers" if isinstance(stored, str) else "a number among texts"
    fill = str(for_variant(known, variant))
    return Problem("bad_shape", "timestamp", f"timestamp is {what}", True, fill)


def _old(row: Record) -> tuple[Object, list[Problem]]:
    """v0: columns instead of one JSON value, and `actions` as a pickle."""
    value: Object = {name: row.get(name) for name in ("author", "branch", "error_code")}
    problems: list[Problem] = []
    for name, field in (
        ("content", "content"),
        ("long_running_tool_ids", "long_running_tool_ids_json"),
    ):
        data = row.get(field)
        if data is None:
            continue
        try:
            value[name] = _decode(data) if isinstance(data, str | bytes) else data
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            found, problem = _slowly(data if isinstance(data, str | bytes) else "", field)
            value[name] = None if found is NO_JSON else found
            problems.append(problem)
    if not _is_pickle(row.get("actions")):
        problems.append(Problem("bad_shape", "actions", "actions is no whole pickle"))
    return {name: found for name, found in value.items() if found is not None}, problems


def _is_pickle(data: Value) -> bool:
    """Told from the opcodes: nothing is made of them."""
    if not isinstance(data, bytes):
        return data is None
    try:
        return any(opcode.name == "STOP" for opcode, _, _ in pickletools.genops(data))
    except (ValueError, IndexError, UnicodeError):
        return False
