"""Message rows as the mapping reads them: their kinds, what is wrong with them, what they say."""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, cast

from suture.model.edit import Value
from suture.stores._encoding import is_utf8_text
from suture.stores._tables import FAR
from suture.stores.mapped.calls import Call, Problem, Problems, Result, read_calls, read_results
from suture.stores.mapped.mapping import MappingFile, MessageTable, kind_of
from suture.stores.mapped.places import place
from suture.stores.mapped.reader import Reader
from suture.stores.mapped.rows import TOGETHER, Record, Rows, are
from suture.stores.mapped.stored import integer, is_set, shown

SPOKEN = ("prompt", "reply", "injected", "call", "result")
_MOST_WORDS = 1000


class Message(NamedTuple):
    n: int
    columns: tuple[str, ...]
    values: tuple[Value, ...]
    ordinal: int | None
    kind: str
    type: str  # the stored words
    version: int | None
    active: bool | None  # None: not stored
    text: str | None  # beside calls and results
    calls: Sequence[Call]
    results: Sequence[Result]
    problems: Sequence[Problem]

    @property
    def row(self) -> Record:
        return dict(zip(self.columns, self.values, strict=True))


_message = partial(tuple.__new__, Message)  # at half the price of Message._make


def read_messages(mapping: MappingFile, rows: Rows) -> list[Message]:
    found: list[Message] = []
    for start, some in rows.parts(TOGETHER):
        found += _read(mapping, some, start)
    return found


def read_message(mapping: MappingFile, n: int, row: Record) -> Message:
    return _read(mapping, Rows(tuple(row), (tuple(row.values()),)), n)[0]


def _read(mapping: MappingFile, rows: Rows, start: int) -> list[Message]:
    table, numbers = mapping.message, range(len(rows))
    reader = Reader(mapping, rows)
    said = _kinds(reader)
    kinds, types = [kind for kind, _ in said], [words for _, words in said]
    problems = _payload_problems(reader, kinds)
    calls = read_calls(reader, kinds, problems)
    results = read_results(reader, kinds, problems)
    for found, by_default, kind in ((calls, "reply", "call"), (results, "prompt", "result")):
        for n in found:
            if kinds[n] in (by_default, "unknown"):
                kinds[n] = kind
    columns = (
        range(start, start + len(rows)),
        [rows.names] * len(rows),
        rows.values,
        _ordinals(rows, table.ordinal, problems),
        kinds,
        types,
        _integers(rows, table.version),
        _flags(rows, table.active),
        _texts(reader, calls.keys() | results.keys()),
        *([found.get(n, ()) for n in numbers] for found in (calls, results, problems)),
    )
    return list(map(_message, zip(*columns, strict=True)))


def _ordinals(rows: Rows, name: str, problems: Problems) -> Sequence[int | None]:
    """One that is no number gives its message no place, and that is told."""
    numbers = _integers(rows, name)
    whole = [] if None in numbers else cast("Sequence[int]", numbers)
    if whole and min(whole) > -FAR and max(whole) < FAR:
        return numbers
    known = [n if n is not None and -FAR < n < FAR else None for n in numbers]
    for n, (number, value) in enumerate(zip(known, rows.column(name), strict=True)):
        if number is None:
            what = "NULL" if value is None else "no whole number that can be counted on"
            problems.add(n, Problem("bad_shape", name, f"{name} is {what}"))
    return known


def _integers(rows: Rows, name: str | None) -> Sequence[int | None]:
    if name is None:
        return [None] * len(rows)
    values = rows.column(name)
    if are(values, int, type(None)):
        return values  # type: ignore[return-value]
    return [integer(value) for value in values]


def _flags(rows: Rows, name: str | None) -> Sequence[bool | None]:
    if name is None:
        return [None] * len(rows)
    values = rows.column(name)
    known = {value: is_set(value) for value in set(values)}
    return [known[value] for value in values]


def _kinds(reader: Reader) -> list[tuple[str, str]]:
    """Our word, and the stored ones."""
    table = reader.mapping.message
    kinds, roles, known = reader.column(table.kind), reader.column(table.role), _words(table)
    try:
        return [known[pair] for pair in zip(kinds, roles, strict=True)]
    except TypeError:  # a list or an object stands there
        return [known.read(*pair) for pair in zip(kinds, roles, strict=True)]


class _Words(dict[tuple[object, object], tuple[str, str]]):
    """Kind and role as they are stored → our word, and how the two are shown."""

    def __init__(self, table: MessageTable) -> None:
        self._table = table

    def __missing__(self, pair: tuple[object, object]) -> tuple[str, str]:
        found = self.read(*pair)
        if len(self) < _MOST_WORDS and all(type(one) in (str, type(None)) for one in pair):
            self[pair] = found  # 1, 1.0 and true would be one key
        return found

    def read(self, kind: object, role: object) -> tuple[str, str]:
        word = kind_of(self._table, kind) or kind_of(self._table, role) or "unknown"
        if kind is None or role is None:
            said = role if kind is None else kind
            return word, "unknown" if said is None else str(said) or "unknown"
        return word, f"{role}/{kind}"


@lru_cache(maxsize=32)
def _words(table: MessageTable) -> _Words:
    return _Words(table)


def _payload_problems(reader: Reader, kinds: Sequence[str]) -> Problems:
    table, found = reader.mapping.message, Problems()
    values = reader.rows.column(table.payload)
    odd = (n for n, one in enumerate(values) if not (type(one) is str and one.isascii()))
    for n in odd:
        value = values[n]
        if not isinstance(value, str | bytes):
            what = "NULL" if value is None else "a number"
            found.add(n, Problem("bad_shape", table.payload, f"{table.payload} is {what}"))
        elif isinstance(value, str) and not is_utf8_text(value):
            detail = f"{table.payload} holds bytes that are not UTF-8"
            found.add(n, Problem("invalid_utf8", table.payload, detail))
    needed = None if table.json else _needing_json(reader.mapping, kinds)
    reader.json(table.payload, needed)
    asked = range(len(values)) if needed is None else frozenset(needed)
    for n, one in reader.odd(table.payload).items():
        if n in asked and n not in found:
            found.add(n, Problem(one.kind, table.payload, one.detail))
    return found


def _needing_json(mapping: MappingFile, kinds: Sequence[str]) -> Sequence[int]:
    """What says which call it is stands in the payload."""
    tables = {"call": mapping.call, "result": mapping.result}
    places = {kind: place(one.each or one.id) for kind, one in tables.items() if one is not None}
    needing = [kind for kind, at in places.items() if at.column is None and at.path is not None]
    return [n for n, kind in enumerate(kinds) if kind in needing] if needing else ()


def _texts(reader: Reader, speechless: Iterable[int]) -> list[str | None]:
    """What messages say beside calls and results."""
    at = reader.mapping.message.text
    if at is not None and None in (place(at).path or ()):
        rows: list[tuple[int, object]] = [(n, None) for n in range(len(reader.rows))]
        several = (
            [shown(value) for value in found if value not in (None, "")]
            for found in reader.lists(at, rows)
        )
        return ["\n".join(found) or None for found in several]
    if at is not None:
        values = reader.column(at)
        return [None if value is None else shown(value) or None for value in values]
    payload = reader.rows.column(reader.mapping.message.payload)
    texts = [None if value in (None, "", b"") else shown(value) for value in payload]
    for n in speechless:
        texts[n] = None
    return texts
