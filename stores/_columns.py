"""The records of one file, column by column: an object a record costs as much as reading it."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import accumulate, repeat
from typing import Any, ClassVar, Self, TypeAlias

import pyarrow as pa

from suture.model.rows import RecordRow
from suture.stores._arrow import call_function, cast
from suture.stores._jsonl import Healthy, Piece
from suture.stores._sink import Coded, column, longs
from suture.stores._spill import Spill
from suture.stores._times import many_microseconds, numbers

_CHUNK = 1 << 14  # records: bounds the lists between here and Arrow
Values: TypeAlias = pa.Array | list[Any] | Coded | memoryview

_HELD = (list, Coded, memoryview)  # of Python; the others are Arrow's


class RecordColumns:
    """What few records have is kept by n. Full chunks wait in Arrow, most of a huge file's on disk.

    Each name of a subclass's columns is a list that holds the values of the open chunk.
    """

    texts: ClassVar[tuple[str, ...]]
    few: ClassVar[tuple[str, ...]]  # those of the texts with few values: each is kept once
    numbers: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self.kind: list[str] = []
        self.type: list[str] = []
        self.line: list[int] = []
        self.offset: list[int] = []
        self.length: list[int] = []
        self.id: list[str | None] = []
        self.stamp: list[str | None] = []
        self.group: list[str | None] = []
        self.recovered: set[int] = set()
        self.copies: dict[int, tuple[int, str]] = {}  # of which, and how: see model/rows.py
        self.same_ids: dict[int, int] = {}
        self._chunks: list[dict[str, Values]] = []
        self._spill = Spill()
        self._before = 0  # records in the chunks

    def __len__(self) -> int:
        return self._before + len(self.line)

    @abstractmethod
    def time_of(self, stamp: str) -> int | None:
        """Of a stamp that Arrow cannot read."""

    def more(self, chunk: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        """What else of the open chunk is kept, or otherwise than in its columns."""
        return {}

    def value(self, name: str, n: int) -> Any:
        """One column of one record, while the file is read and after."""
        if n >= self._before:
            return getattr(self, name)[n - self._before]
        for chunk in self._chunks:
            values = chunk[name]
            if n < len(values):
                return values[n] if isinstance(values, _HELD) else values[n].as_py()
            n -= len(values)
        raise IndexError(n)

    def take_places(self, lines: Healthy[Any]) -> None:
        """Where the records of a stretch stand."""
        self.line += range(lines.line, lines.line + len(lines.lengths))
        self.length += lines.lengths
        ends = accumulate(map(len, lines.raws), initial=lines.offset)
        self.offset += list(ends)[:-1]

    def add_place(self, piece: Piece) -> None:
        """Where the next record stands, and whether it was won from damage."""
        if piece.recovered:
            self.recovered.add(len(self))
        self.line.append(piece.line)
        self.offset.append(piece.offset)
        self.length.append(piece.length)

    def place(self, n: int) -> tuple[int, int, int]:
        """Line, offset and length."""
        return self.value("line", n), self.value("offset", n), self.value("length", n)

    def span(self, n: int) -> slice:
        """Where it stands in the file."""
        offset: int = self.value("offset", n)
        return slice(offset, offset + self.value("length", n))

    def cut_chunk(self) -> None:
        """Call now and then: a long file must not fill the memory with lists."""
        if len(self.line) >= _CHUNK:
            self._cut()

    def _cut(self) -> None:
        chunk = {name: column(getattr(self, name), pa.string()) for name in self.texts}
        if self._chunks or len(self.line) >= _CHUNK:
            chunk |= {name: encoded(chunk[name]) for name in self.few}
        chunk |= {name: column(getattr(self, name), pa.int64()) for name in self.numbers}
        chunk["time"] = many_microseconds(self.stamp, self.time_of)
        self._take(self._spill.keep(chunk | self.more(chunk)))

    def _take(self, chunk: Mapping[str, Values]) -> None:
        """What was open is this chunk from now on."""
        self._chunks.append(dict(chunk))
        self._before += len(self.line)
        for name in (*self.texts, *self.numbers, "stamp"):
            setattr(self, name, [])

    def close(self) -> None:
        """When all is read: every column can be asked for."""
        if self.line:
            if self._chunks:
                self._cut()
            else:
                self._keep_lists()

    def kept(self) -> Self:
        """The same, once all is read, for whoever looks into it when this was handed over."""
        self.close()
        kept = copy(self)
        kept._chunks = [self._packed(chunk) for chunk in self._chunks]
        return kept

    def _packed(self, chunk: Mapping[str, Values]) -> dict[str, Values]:
        """Lists take ten times the room."""
        return {name: self._array(name, values) for name, values in chunk.items()}

    def _array(self, name: str, values: Values) -> pa.Array:
        if isinstance(values, list):
            numbers = (*self.numbers, "time")
            return column(values, pa.int64() if name in numbers else pa.string())
        if isinstance(values, memoryview):
            return longs(values)
        return values.encoded if isinstance(values, Coded) else values

    def _keep_lists(self) -> None:
        """Of a file of one chunk: the sink makes Arrow of those of many files at once."""
        columns = {name: getattr(self, name) for name in (*self.texts, *self.numbers)}
        self._take(columns | {"time": numbers(many_microseconds(self.stamp, self.time_of))})

    @property
    def in_lists(self) -> bool:
        return len(self._chunks) == 1 and isinstance(self._chunks[0]["line"], list)

    def chunks(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """When all is read: n of the first record of each chunk, and its columns."""
        self.close()
        first = 0
        for chunk in self._chunks:
            yield first, chunk
            first += len(chunk["kind"])

    def all_of(self, name: str) -> Iterator[Any]:
        """One column of every record, when all is read."""
        for _, chunk in self.chunks():
            yield from listed(chunk[name])

    def hand_over(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The chunks as the record table has them, each gone when the next is asked for."""
        first, rare = 0, self.rare_columns()
        self.close()
        while self._chunks:
            chunk = self._chunks.pop(0)
            stop = first + len(chunk["kind"])
            yield first, {**chunk, "n": range(first, stop)} | _filled(rare, first, stop)
            first = stop
            self.give_back()

    def column(self, name: str) -> pa.Array:
        """A copy, when all is read."""
        copied = pa.concat_arrays([chunk[name] for _, chunk in self.chunks()])
        self.give_back()
        return copied

    def values(self, name: str, ns: Sequence[int | None]) -> list[Any]:
        """One column of some records, when all is read. Of no record it is None."""
        known = [n for n in ns if n is not None]
        if not known:
            return [None] * len(ns)
        if self.in_lists:
            stored = self._chunks[0][name]
            return [n if n is None else stored[n] for n in ns]
        low, high, arrays, start = min(known), max(known), list[pa.Array](), 0
        for first, chunk in self.chunks():  # taking copies all that it takes from
            if first <= low:
                arrays, start = [], first
            if first <= high:
                arrays.append(chunk[name])
        places = pa.array([n if n is None else n - start for n in ns], pa.int64())
        found = listed(call_function("take", [pa.chunked_array(arrays), places]))
        self.give_back()
        return found

    def give_back(self) -> None:
        """The memory of columns that were looked at and wait on the disk."""
        self._spill.give_back()

    def rare_columns(self) -> dict[str, Mapping[int, Any]]:
        """By n, what few records have."""
        return {
            "recovered": dict.fromkeys(self.recovered, True),
            "copy_of": {n: of for n, (of, _) in self.copies.items()},
            "copy_kind": {n: kind for n, (_, kind) in self.copies.items()},
            "same_id": self.same_ids,
        }


def _filled(rare: Mapping[str, Mapping[int, Any]], first: int, stop: int) -> dict[str, Any]:
    """The rare columns of a chunk. One that no record of it fills is left to the defaults."""
    other = RecordRow._field_defaults
    return {
        name: list(map(values.get, range(first, stop), repeat(other.get(name))))
        for name, values in rare.items()
        if any(first <= n < stop for n in values)
    }


def encoded(values: pa.Array) -> pa.Array:
    """Each value is kept once."""
    return call_function("dictionary_encode", [values])


def plain(values: Values) -> Values:
    if isinstance(values, _HELD) or not pa.types.is_dictionary(values.type):
        return values
    return cast(values, values.type.value_type)


def listed(values: Values) -> list[Any]:
    """A column that is encoded takes Arrow a hundred times as long as a plain one."""
    stored = plain(values)
    return list(stored) if isinstance(stored, _HELD) else stored.to_pylist()


def between(values: Values, start: int, stop: int) -> Values:
    """Some rows of a column."""
    if isinstance(values, Coded):
        return Coded(values.codes[start:stop], values.texts)
    return values[start:stop]
