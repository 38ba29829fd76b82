"""Rows of a query as columns: as objects those of a huge session take ten times the room."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from typing import Any

import pyarrow as pa

from suture.db.database import row_type

_EACH = 1 << 11  # rows that are made at once, where all are
_BATCH = 1 << 8  # where one is asked for: a walk along parents meets neighbours
_HELD = 128  # batches of them


def each(rows: pa.Table) -> Iterator[Any]:
    """Every row, a named tuple."""
    row = row_type(tuple(rows.column_names))
    for batch in rows.to_batches(max_chunksize=_EACH):
        yield from _named(row, batch)


def _named(row: Any, batch: pa.RecordBatch, same: Sequence[object] = ()) -> Iterator[Any]:
    columns = (column.to_pylist() for column in batch.columns)
    return map(row._make, zip(*columns, *map(repeat, same), strict=False))


class Kept(Mapping[int, Any]):
    """n → the row, a named tuple that is made when it is asked for. `rows` ascend by n, each its
    own; `same`: what all of them have besides."""

    def __init__(self, rows: pa.Table, same: Mapping[str, object]) -> None:
        self._batches = rows.to_batches(max_chunksize=_BATCH)
        self._starts = list(accumulate((len(batch) for batch in self._batches), initial=0))
        self._same = tuple(same.values())
        self._row = row_type((*rows.column_names, *same))
        self.ns = array("q")
        for batch in self._batches:
            self.ns.extend(batch.column("n").to_pylist())
        self._made: dict[int, list[Any]] = {}

    def __len__(self) -> int:
        return len(self.ns)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ns)

    def __contains__(self, n: object) -> bool:
        return isinstance(n, int) and self.place(n) is not None

    def __getitem__(self, n: int) -> Any:
        place = self.place(n)
        if place is None:
            raise KeyError(n)
        number = bisect_right(self._starts, place) - 1
        batch = self._made.get(number)
        if batch is None:
            batch = self._make(number)
        return batch[place - self._starts[number]]

    def place(self, n: int) -> int | None:
        """Of the row among all."""
        at = bisect_left(self.ns, n)
        return at if at < len(self.ns) and self.ns[at] == n else None

    def columns(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Some values of every row."""
        for batch in self._batches:
            yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)

    def _make(self, number: int) -> list[Any]:
        if len(self._made) >= _HELD:
            del self._made[next(iter(self._made))]
        made = self._made[number] = list(_named(self._row, self._batches[number], self._same))
        return made
