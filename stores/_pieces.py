"""Messages that keep their content as a JSON array in one column: what one such row is."""

from typing import Any

import msgspec
from msgspec import Struct, field

from suture.model.edit import Value
from suture.stores._column_json import NO_JSON, read_slowly
from suture.stores._tables import Record

NOT_RECORDED = "the store does not record whether a tool was started"
STREAMING = "its arguments were still being written"
_decode = msgspec.json.Decoder().decode


class Problem(Struct, frozen=True):
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str
    fixable: bool = False


class Piece(Struct, frozen=True):
    """One element of the array."""

    raw: Any
    type: str
    kind: str  # text | reasoning | call | result | image | other | unknown
    text: str = ""
    call_id: str | None = None
    name: str | None = None
    never_started: str | None = None
    server: bool = False
    malformed: str | None = None
    error: bool = False


class Message(Struct, frozen=True):
    row: Record
    kind: str  # of its record
    type: str
    pieces: list[Piece] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sent: bool = True
    status: str | None = None
    lane: str = "main"

    @property
    def calls(self) -> set[str]:
        return {p.call_id for p in self.pieces if p.kind == "call" and p.call_id is not None}

    @property
    def results(self) -> set[str]:
        return {p.call_id for p in self.pieces if p.kind == "result" and p.call_id is not None}


def array(row: Record, column: str) -> tuple[list[Any], list[Problem]]:
    """What the column holds; nothing where it cannot be read, with the reason."""
    value, problem = loaded(row.get(column), column)
    if problem is None and not isinstance(value, list):
        problem = Problem("bad_shape", column, f"{column} is no array")
    return (value if isinstance(value, list) else []), ([problem] if problem else [])


def loaded(data: Value, column: str) -> tuple[Any, Problem | None]:
    """The value may be there in spite of the problem; None where nothing can be read."""
    if not isinstance(data, str | bytes):
        shown = "NULL" if data is None else f"a number, {data!r:.40}"
        return None, Problem("bad_shape", column, f"{column} is {shown}")
    try:
        return _decode(data), None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        value, odd = read_slowly(data, column)
        problem = Problem(odd.kind, column, odd.detail, fixable=odd.fixable)
        return (None if value is NO_JSON else value), problem


def string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def record_kind(role: str, roles: dict[str, str], pieces: list[Piece]) -> str:
    """A call or a result decides; a message of nothing but unknown pieces is unknown."""
    kinds = [piece.kind for piece in pieces]
    if "call" in kinds:
        return "call"
    talks = any(kind in ("text", "image") for kind in kinds)
    if "result" in kinds and not (talks and roles.get(role) == "prompt"):
        return "result"
    if pieces and all(kind == "unknown" for kind in kinds):
        return "unknown"
    return roles.get(role, "unknown")
