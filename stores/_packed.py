"""Lists of small objects that do not grow with the file: what fills a chunk waits in Arrow."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec
import pyarrow as pa

from suture.stores._arrow import call_function
from suture.stores._repeated import repeated
from suture.stores._sink import column
from suture.stores._spill import Spill

T = TypeVar("T", bound=msgspec.Struct)
_CHUNK = 1 << 14  # an object takes some 300 bytes, in Arrow 60
_ARROW = {bool: pa.bool_(), int: pa.int64(), str: pa.string()}


class Packed(Generic[T]):
    """Append, settle now and then, and walk through; what was walked through is a copy, and of
    those that are gathered only the last may change. The fields are of types that Arrow has, or
    may be None."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._fields = _fields(kind)
        self._open: list[T] = []
        self.append = self._open.append
        self._chunks: list[dict[str, pa.Array]] = []
        self._before = 0  # in the chunks
        self._spill = Spill()

    def settle(self) -> None:
        """Call now and then, while a file is read."""
        if len(self._open) <= _CHUNK:  # asked after every odd line: nothing is copied for it
            return
        full = self._open[:-1]
        columns = {
            name: column(list(map(attrgetter(name), full)), kind)
            for name, kind in self._fields.items()
        }
        self._chunks.append(self._spill.keep(columns))
        self._before += len(full)
        del self._open[:-1]

    def __len__(self) -> int:
        return self._before + len(self._open)

    @property
    def last(self) -> T | None:
        return self._open[-1] if self._open else None

    def column(self, name: str) -> pa.ChunkedArray:
        kind = self._fields[name]
        rest = list(map(attrgetter(name), self._open))
        arrays = [chunk[name] for chunk in self._chunks]
        return pa.chunked_array([*arrays, *([column(rest, kind)] if rest else [])], kind)

    def has(self, name: str, wanted: frozenset[Any]) -> bool:
        """Whether one of these is a value of a column."""
        return not all(map(wanted.isdisjoint, self._values(name)))

    def repeated(self, name: str) -> set[Any]:
        """Values of a column that more than one has."""
        if not self._chunks and len(set(map(attrgetter(name), self._open))) == len(self._open):
            return set()
        hashes = [pa.array(map(hash, values), pa.int64()) for values in self._values(name)]
        places = repeated(pa.concat_arrays(hashes)) if hashes else []
        some = call_function("take", [self.column(name), pa.array(places, pa.int64())])
        counts = Counter(some.to_pylist())
        self._spill.give_back()
        return {value for value, count in counts.items() if count > 1}

    def _values(self, name: str) -> Iterator[list[Any]]:
        for chunk in self._chunks:
            yield chunk[name].to_pylist()
            self._spill.give_back()
        yield list(map(attrgetter(name), self._open))

    def parts(self) -> Iterator[list[T]]:
        """In their order, some at a time."""
        for chunk in self._chunks:
            rows = zip(*(values.to_pylist() for values in chunk.values()), strict=True)
            yield [self._kind(*row) for row in rows]
            self._spill.give_back()
        yield self._open

    def between(self, start: int, stop: int) -> list[T]:
        """Those at these places."""
        found: list[T] = []
        for chunk in self._chunks:
            size = len(next(iter(chunk.values())))
            if start < size and stop > max(start, 0):
                columns = (values[max(start, 0) : stop].to_pylist() for values in chunk.values())
                found += [self._kind(*row) for row in zip(*columns, strict=True)]
            start, stop = start - size, stop - size
        return found + self._open[max(start, 0) : max(stop, 0)]

    def __iter__(self) -> Iterator[T]:
        for part in self.parts():
            yield from part


@cache
def _fields(kind: type[msgspec.Struct]) -> Mapping[str, pa.DataType]:
    return {field.name: _type_of(field.type) for field in msgspec.structs.fields(kind)}


def _type_of(hint: object) -> pa.DataType:
    return next(kind for known, kind in _ARROW.items() if hint in (known, known | None))
