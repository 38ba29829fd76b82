"""Rows on their way into Arrow. A store adds tuples; the loader takes tables."""

import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from operator import itemgetter
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pyarrow as pa
from msgspec import Struct

from suture.model.rows import TABLES, SessionRow, SourceRow
from suture.stores._arrow import cast

_ARROW = {
    int: pa.int64(),
    str: pa.string(),
    bool: pa.bool_(),
    bytes: pa.binary(),
}
# Columns of few texts, in whichever table: a number a row is less to write, and DuckDB compares
# each text once.
_FEW = {"kind", "type", "lane", "name", "family", "status", "copy_kind", "problem"}
_FEW |= {"outcome", "reason", "state", "side_effect"}
_CODES = pa.dictionary(pa.int32(), pa.string())
# The pool that Arrow takes by itself keeps what is freed.
pa.set_memory_pool(pa.system_memory_pool())
_BATCH = 25_000  # rows: bounds what is held as Python objects


def _arrow_type(hint: Any) -> pa.DataType:
    if isinstance(hint, UnionType):
        hint = next(arg for arg in get_args(hint) if arg is not type(None))
    if get_origin(hint) is list:
        return pa.list_(_arrow_type(get_args(hint)[0]))
    return _ARROW[hint]


@cache
def arrow_schema(table: str) -> pa.Schema:
    hints = get_type_hints(TABLES[table])
    types = {name: _arrow_type(hint) for name, hint in hints.items()}
    few = {name: _CODES for name in _FEW & types.keys() if types[name] == pa.string()}
    return pa.schema((types | few).items())


Tables = list[tuple[str, pa.Table]]


class Coded(Struct, frozen=True, gc=False):
    """A column of few texts: a byte a row, which is the place of its text."""

    codes: bytes | bytearray
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, at: int) -> str:
        return self.texts[self.codes[at]]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.codes)

    @property
    def encoded(self) -> pa.Array:
        places = pa.Array.from_buffers(pa.uint8(), len(self), [None, pa.py_buffer(self.codes)])
        return pa.DictionaryArray.from_arrays(cast(places, pa.int32()), _texts(self.texts))


_texts = cache(pa.array)


class Sink:
    """Collects rows of one unit after another; full batches go to `take`, or wait in `ready`."""

    def __init__(self, full: bool = False, take: Callable[[Tables], None] | None = None) -> None:
        self.full = full  # texts and native blocks too
        self._take = take
        self.unit = 0
        self.live: str | None = None  # evidence for a live writer of the unit
        self._sessions = 0
        self._rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        self._columns: dict[str, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
        self._waiting: dict[str, int] = defaultdict(int)
        self._done: list[tuple[str, pa.Table]] = []

    def start(self, unit: int, live: str | None) -> None:
        """What follows belongs to this unit."""
        self.unit, self.live, self._sessions = unit, live, 0

    def session_key(self) -> int:
        self._sessions += 1
        return (self.unit << 32) + self._sessions - 1

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        if isinstance(row, SourceRow | SessionRow) and row.live is None:
            row = row._replace(live=self.live)
        rows = self._rows[table]
        rows.append(row)
        if len(rows) >= _BATCH:
            self._flush(table)

    def add_all(self, rows: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Each with the name of its table."""
        for table, row in rows:
            self.add(table, row)

    def extend(self, table: str, rows: list[Any]) -> None:
        self._rows[table] += rows
        if len(self._rows[table]) >= _BATCH:
            self._flush(table)

    def add_columns(self, table: str, count: int, columns: Mapping[str, Any]) -> None:
        """Many rows at once: a list, a range, an array, a memoryview of int64 or `Coded` has one
        value a row, bytes for a column of truth values have one a row, and anything else is the
        same in each."""
        if not count:
            return
        self._columns[table].append((count, columns))
        self._waiting[table] += count
        if self._waiting[table] >= _BATCH:
            self._join(table)

    def _join(self, table: str) -> None:
        self._waiting[table] = 0
        parts, schema = self._columns.pop(table), arrow_schema(table)
        defaults = TABLES[table]._field_defaults  # type: ignore[attr-defined]
        total, filled = sum(map(_count, parts)), set[str]().union(*map(_values, parts))
        arrays = [
            _joined(
                [(count, part.get(f.name, defaults.get(f.name))) for count, part in parts], f.type
            )
            if f.name in filled
            else _column(defaults.get(f.name), f.type, total)
            for f in schema
        ]
        self._finish(table, pa.table(arrays, names=schema.names))

    def _flush(self, table: str) -> None:
        schema = arrow_schema(table)
        columns = zip(*self._rows.pop(table), strict=True)
        arrays = [column(values, field.type) for values, field in zip(columns, schema, strict=True)]
        self._finish(table, pa.Table.from_arrays(arrays, schema=schema))

    def _finish(self, table: str, rows: pa.Table) -> None:
        self._done.append((table, rows))
        if self._take is not None:
            self._take(self.ready())

    def take(self, tables: list[tuple[str, pa.Table]]) -> None:
        """Batches that another sink has collected."""
        self._done += tables
        if self._take is not None:
            self._take(self.ready())

    def ready(self) -> list[tuple[str, pa.Table]]:
        """The full batches so far, each once."""
        done, self._done = self._done, []
        return done

    def tables(self) -> list[tuple[str, pa.Table]]:
        """All that is left."""
        for table in list(self._rows):
            self._flush(table)
        for table in list(self._columns):
            self._join(table)
        return self.ready()


def _joined(parts: Sequence[tuple[int, Any]], kind: pa.DataType) -> pa.Array:
    values = list(map(_values, parts))
    types = set(map(type, values))
    if types <= _LISTS:  # of many small sessions
        return column(list(chain.from_iterable(values)), kind)
    if types == {bytes} and kind == _TRUTH:
        return _flags(b"".join(values))
    if types == {memoryview}:
        return longs(b"".join(values))
    if types == {Coded} and len({value.texts for value in values}) == 1:
        codes = b"".join(value.codes for value in values)
        return _column(Coded(codes, values[0].texts), kind, len(codes))
    if types <= _SAME and values.count(values[0]) == len(values):  # as most columns are
        return _column(values[0], kind, sum(map(_count, parts)))
    arrays = [_column(value, kind, count) for count, value in parts]
    if any(array.type != kind for array in arrays):
        arrays = [cast(array, kind) for array in arrays]
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


_LISTS, _SAME = {list, range}, {str, int, bool, type(None)}
_TEXTS = (pa.string(), _CODES)
_TRUTH, _NUMBER = pa.bool_(), pa.int64()
_count, _values = itemgetter(0), itemgetter(1)


def _flags(ones: bytes) -> pa.Array:
    each = pa.Array.from_buffers(pa.uint8(), len(ones), [None, pa.py_buffer(ones)])
    return cast(each, _TRUTH)


def longs(numbers: bytes | memoryview) -> pa.Array:
    """Numbers of 64 bits, as they lie."""
    data = pa.py_buffer(numbers)
    return pa.Array.from_buffers(_NUMBER, data.size // 8, [None, data])


def _column(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    if isinstance(value, memoryview):
        value = longs(value)
    if isinstance(value, pa.Array):
        return value
    if type(value) in _LISTS:
        return column(list(value), kind)
    if isinstance(value, bytes) and kind == _TRUTH:
        return _flags(value)
    if isinstance(value, Coded):
        return value.encoded if kind == _CODES else cast(value.encoded, kind)
    if value is None:
        return pa.nulls(count)  # of no type: it takes no room
    return pa.repeat(pa.scalar(value, kind), count)


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values that Python holds as a column, whatever a damaged store put among them."""
    first = values[0]
    same = values[-1] == first and values.count(first) == len(values)
    if same and (first is None or kind in _TEXTS):
        try:  # most columns of a table are one value in any one format
            return pa.repeat(pa.scalar(first, kind), len(values))
        except UnicodeEncodeError:
            pass
    if kind == _NUMBER:
        with suppress(struct.error):  # one is missing, or none of 64 bits
            return longs(struct.pack(f"{len(values)}q", *values))  # in a third of Arrow's time
    try:
        return pa.array(values, kind)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return pa.array([_storable(value) for value in values], kind)


def _storable(value: Any) -> Any:
    """Half of a UTF-16 pair, and integers beyond 64 bits, have no place in a column."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return value
