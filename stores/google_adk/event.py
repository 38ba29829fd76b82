"""What an event holds, and what is wrong with one. A pickle is never loaded."""

import json
import pickletools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from suture.model.answer import is_marked
from suture.model.edit import Value
from suture.stores._tables import Record
from suture.stores._times import microseconds
from suture.stores.google_adk.clock import for_variant, micros, of_variant
from suture.stores.google_adk.tables import V0

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Problem:
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str
    fixable: bool = False
    fill: str | None = None


class Event(NamedTuple):
    row: Record
    value: dict[str, Any]  # empty if it cannot be read
    problems: tuple[Problem, ...]
    time: int | None
    actions: dict[str, Any]
    parts: list[dict[str, Any]]
    kind: str

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def author(self) -> str:
        return _author(self.value)

    @property
    def compaction(self) -> dict[str, Any] | None:
        return _object(self.actions, "compaction") if self.actions else None

    @property
    def rewinds_before(self) -> str | None:
        found = self.actions.get("rewind_before_invocation_id")
        return found if isinstance(found, str) else None

    @property
    def long_running(self) -> set[str]:
        found = self.value.get("long_running_tool_ids")
        if found is None:
            return set()
        return {i for i in found if isinstance(i, str)} if isinstance(found, list) else set()

    @property
    def asks_for(self) -> set[str]:
        """Calls whose tool asked for a confirmation or for credentials: a second result follows."""
        asked: set[str] = set()
        for name in ("requested_tool_confirmations", "requested_auth_configs"):
            asked.update(_object(self.actions, name) or ())
        return asked

    @property
    def text(self) -> str:
        return "".join(p["text"] for p in self.parts if isinstance(p.get("text"), str))


def _author(value: dict[str, Any]) -> str:
    return str(value.get("author") or "")


def _parts(value: dict[str, Any]) -> list[dict[str, Any]]:
    content = value.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return [p for p in parts if isinstance(p, dict)] if isinstance(parts, list) else []


def _kind(value: dict[str, Any], actions: dict[str, Any], parts: list[dict[str, Any]]) -> str:
    if "compaction" in actions and _object(actions, "compaction") is not None:
        return "summary"
    found = None
    for part in parts:
        if "function_call" in part and call_of(part):
            return "call"
        if "function_response" in part and response_of(part):
            found = "result"
    if found is not None:
        return found
    if not parts or isinstance(actions.get("rewind_before_invocation_id"), str):
        return "event" if value else "scalar"
    if all(part.get("thought") is True for part in parts):
        return "reasoning"
    return "prompt" if _author(value) == "user" else "reply"


def call_of(part: dict[str, Any]) -> dict[str, Any] | None:
    return _object(part, "function_call")


def response_of(part: dict[str, Any]) -> dict[str, Any] | None:
    return _object(part, "function_response")


def response_text(response: dict[str, Any]) -> str:
    body = _object(response, "response") or {}
    said = body.get("result")
    return said if isinstance(said, str) else ""


def is_note(part: dict[str, Any]) -> bool:
    response = response_of(part)
    return response is not None and is_marked(response_text(response))


def _object(value: dict[str, Any], name: str) -> dict[str, Any] | None:
    found = value.get(name)
    if found is None or isinstance(found, dict):
        return found
    return None


def event(row: Record, variant: str) -> Event:
    value, problems = _old(row) if variant == V0 else _loaded(row, "event_data")
    stored = row["timestamp"]
    time = micros(stored)
    if not of_variant(stored, time, variant):
        problems.append(_time(stored, variant))
    content = value.get("content")
    if content is not None and not isinstance(content, dict):
        problems.append(Problem("bad_shape", "content", "content is no object"))
    actions = _object(value, "actions") or {}
    parts = _parts(value)
    return Event(row, value, tuple(problems), time, actions, parts, _kind(value, actions, parts))


def _loaded(row: Record, field: str) -> tuple[dict[str, Any], list[Problem]]:
    data = row.get(field)
    if not isinstance(data, str | bytes):
        what = "NULL" if data is None else f"a {type(data).__name__}"
        return {}, [Problem("bad_shape", field, f"{field} is {what}")]
    try:
        value = _decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}, [_unreadable(data, field)]
    if not isinstance(value, dict):
        return {}, [Problem("bad_shape", field, f"{field} is no object")]
    return value, []


def _unreadable(data: str | bytes, field: str) -> Problem:
    if isinstance(data, bytes):
        try:
            data.decode()
        except UnicodeDecodeError:
            return Problem("invalid_utf8", field, f"{field} holds bytes that are not UTF-8")
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return Problem("bad_json", field, f"{field} is not JSON", fixable=True)
    return Problem("bad_number", field, f"{field} holds a number that JSON does not have")


def _time(stored: Value, variant: str) -> Problem:
    known = microseconds(stored)
    if known is None:
        return Problem("bad_shape", "timestamp", "timestamp is no time")
    what = "text among numbers" if isinstance(stored, str) else "a number among texts"
    fill = str(for_variant(known, variant))
    return Problem("bad_shape", "timestamp", f"timestamp is {what}", True, fill)


def _old(row: Record) -> tuple[dict[str, Any], list[Problem]]:
    """v0: columns instead of one JSON value, and `actions` as a pickle."""
    value: dict[str, Any] = {name: row.get(name) for name in ("author", "branch", "error_code")}
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
            problems.append(_unreadable(data if isinstance(data, str | bytes) else "", field))
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


def rewound(events: Sequence[Event]) -> set[int]:
    """Events that a later rewind took back: they are stored, and not sent."""
    gone: set[int] = set()
    end = len(events) - 1
    while end >= 0:
        before = events[end].rewinds_before
        if before is not None:
            start = next(
                (i for i in range(end) if str(events[i].row["invocation_id"]) == before), None
            )
            if start is not None:
                gone.update(range(start, end + 1))
                end = start
        end -= 1
    return gone
