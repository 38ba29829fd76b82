"""One message row as the mapping reads it: its kind, its calls and its results."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from suture.model.edit import Value
from suture.stores.mapped.mapping import (
    CallPlaces,
    MappingFile,
    ResultPlaces,
    kind_of,
    means,
    state_of,
)
from suture.stores.mapped.places import first, place, walk
from suture.stores.mapped.stored import Record, integer

_decode = msgspec.json.Decoder().decode
_NO_JSON = object()
SPOKEN = ("prompt", "reply", "injected", "call", "result")


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    name: str | None
    state: str | None
    malformed: str | None
    raw: object


@dataclass(frozen=True, slots=True)
class Result:
    id: str
    failed: bool
    output: str
    raw: object


@dataclass(frozen=True, slots=True)
class Problem:
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str


@dataclass(slots=True)
class Message:
    n: int
    row: Record
    ordinal: int | None
    kind: str
    type: str  # the stored words
    version: int | None
    active: bool | None  # None: not stored
    text: str | None = None
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Reader:
    """Reads values of one row; each column's JSON is decoded once."""

    def __init__(self, mapping: MappingFile, row: Record) -> None:
        self.mapping, self.row = mapping, row
        self._json: dict[str, object] = {}

    def values(self, text: str, element: object = None) -> Iterator[object]:
        at = place(text)
        if at.path is None:
            yield self.row.get(at.column or "")
        elif at.inner:
            yield from walk(element, at.path)
        else:
            yield from walk(self.json(at.column or self.mapping.message.payload), at.path)

    def value(self, text: str | None, element: object = None) -> object:
        if text is None:
            return None
        at = place(text)
        if at.path is None:
            return self.row.get(at.column or "")
        if not at.inner:
            element = self.json(at.column or self.mapping.message.payload)
        return first(element, at.path)

    def json(self, column: str) -> object:
        """The decoded column; an object of its own for what is no JSON."""
        if column not in self._json:
            stored = self.row.get(column)
            try:
                self._json[column] = _decode(_text_of(stored))
            except (msgspec.DecodeError, TypeError, UnicodeError, RecursionError):
                self._json[column] = _NO_JSON
        return self._json[column]

    def is_json(self, column: str) -> bool:
        return self.json(column) is not _NO_JSON


def _text_of(value: Value) -> str | bytes:
    """Half surrogates stand for bytes that are not UTF-8, which no JSON holds either."""
    if isinstance(value, str | bytes):
        return value
    raise TypeError


def read_message(mapping: MappingFile, n: int, row: Record) -> Message:
    table = mapping.message
    reader = Reader(mapping, row)
    kind, words = _kind(reader)
    found = Message(
        n,
        row,
        integer(row[table.ordinal]),
        kind,
        words,
        integer(row[table.version]) if table.version else None,
        _is_set(row[table.active]) if table.active else None,
    )
    _check_payload(found, reader)
    if kind != "summary":
        call, result = mapping.call, mapping.result
        if call is not None and (kind == "call" or call.each is not None):
            found.calls = list(_calls(found, reader, call))
        if result is not None and (kind == "result" or result.each is not None):
            found.results = list(_results(found, reader, result))
    if found.calls and kind in ("reply", "unknown"):
        found.kind = "call"
    elif found.results and kind in ("prompt", "unknown"):
        found.kind = "result"
    found.text = _text(found, reader)
    return found


def _is_set(value: Value) -> bool:
    """As SQL and most languages take a flag."""
    return value not in (None, 0, "", "0", "false", "f", "no", b"")


def _kind(reader: Reader) -> tuple[str, str]:
    table = reader.mapping.message
    kind, role = reader.value(table.kind), reader.value(table.role)
    word = kind_of(table, kind) or kind_of(table, role) or "unknown"
    if kind is None or role is None:
        said = role if kind is None else kind
        return word, "unknown" if said is None else str(said) or "unknown"
    return word, f"{role}/{kind}"


def _check_payload(message: Message, reader: Reader) -> None:
    table = reader.mapping.message
    value = message.row[table.payload]
    if isinstance(value, str) and not value.isascii() and not _is_utf8(value):
        detail = f"{table.payload} holds bytes that are not UTF-8"
        message.problems.append(Problem("invalid_utf8", table.payload, detail))
    elif not isinstance(value, str | bytes):
        shown = "NULL" if value is None else "a number"
        message.problems.append(Problem("bad_shape", table.payload, f"{table.payload} is {shown}"))
    elif (table.json or _needs_json(message, reader.mapping)) and not reader.is_json(table.payload):
        detail = f"{table.payload} is not JSON"
        message.problems.append(Problem("bad_json", table.payload, detail))


def _is_utf8(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _needs_json(message: Message, mapping: MappingFile) -> bool:
    """What says which call it is stands in the payload."""
    table = {"call": mapping.call, "result": mapping.result}.get(message.kind)
    if table is None:
        return False
    at = place(table.each or table.id)
    return at.column is None and at.path is not None


def _elements(
    message: Message, reader: Reader, table: CallPlaces | ResultPlaces, kind: str
) -> Iterator[object]:
    """The JSON elements that are calls, or results; one None for a row that is one itself."""
    if table.each is not None:
        elements: Iterator[object] = reader.values(table.each)
    elif message.kind == kind:
        elements = iter([None])
    else:
        return
    for element in elements:
        if all(
            any(means(values, found) for found in reader.values(text, element))
            for text, values in table.where.items()
        ):
            yield element


def _calls(message: Message, reader: Reader, table: CallPlaces) -> Iterator[Call]:
    for element in _elements(message, reader, table, "call"):
        call_id = _id(message, reader, table.id, element, "a call has no id")
        if call_id is None:
            continue
        name = reader.value(table.name, element)
        state = state_of(table, reader.value(table.status, element))
        malformed = _malformed(reader, table, element, name)
        shown = name if isinstance(name, str) else None
        yield Call(call_id, shown, state, malformed, _raw(message, reader, element))


def _malformed(reader: Reader, table: CallPlaces, element: object, name: object) -> str | None:
    if table.name is not None and (not isinstance(name, str) or not name):
        return "it has no name"
    if isinstance(name, str) and any(ord(sign) < 32 or ord(sign) == 127 for sign in name):
        return "its name holds control bytes"
    arguments = reader.value(table.arguments, element)
    if isinstance(arguments, str) and arguments:
        try:
            _decode(arguments)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return "its arguments are not JSON"
    return None


def _results(message: Message, reader: Reader, table: ResultPlaces) -> Iterator[Result]:
    for element in _elements(message, reader, table, "result"):
        call_id = _id(message, reader, table.id, element, "a result names no call")
        if call_id is None:
            continue
        output = reader.value(table.output, element) if table.output else None
        raw = _raw(message, reader, element)
        failed = bool(table.error and _is_set_json(reader.value(table.error, element)))
        yield Result(call_id, failed, _shown(raw if output is None else output), raw)


def _is_set_json(value: object) -> bool:
    return value is True or (isinstance(value, str | int) and _is_set(value))


def _id(message: Message, reader: Reader, text: str, element: object, missing: str) -> str | None:
    value = reader.value(text, element)
    if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
        return str(value)
    if not any(problem.kind == "bad_json" for problem in message.problems):
        message.problems.append(Problem("bad_shape", text, missing))
    return None


def _raw(message: Message, reader: Reader, element: object) -> object:
    return message.row[reader.mapping.message.payload] if element is None else element


def _text(message: Message, reader: Reader) -> str | None:
    """What the message says beside calls and results."""
    place_of_text = reader.mapping.message.text
    if place_of_text is not None:
        found = [_shown(value) for value in reader.values(place_of_text) if value not in (None, "")]
        return "\n".join(found) or None
    if message.calls or message.results:
        return None
    value = message.row[reader.mapping.message.payload]
    return None if value in (None, "", b"") else _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return json.dumps(value, ensure_ascii=False, default=str)
