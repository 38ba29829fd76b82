"""Objects of a file's records, each made when it is asked for: those of a long session take ten
times the room of its columns, and edits look at a few and their neighbours."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from suture.stores._columns import RecordColumns, between, listed

T = TypeVar("T")
_BATCH = 1 << 4  # that are made at once: faults stand apart, what is asked of each does not
_HELD = 1 << 13  # batches of them
_WALKED = 1 << 11  # at once where all are looked at


class Entries(Generic[T]):
    """Of all records, when all is read. `make`: of n and the values of the columns `names`."""

    def __init__(
        self, records: RecordColumns, names: Sequence[str], make: Callable[[int, Any], T]
    ) -> None:
        self._names, self._make = names, make
        self._chunks = list(records.chunks())
        self._firsts = [first for first, _ in self._chunks]
        self._count = len(records)
        self._made: dict[int, list[T]] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, n: int) -> T:
        batch = self._made.get(n // _BATCH)
        if batch is None:
            if len(self._made) >= _HELD:
                del self._made[next(iter(self._made))]
            start = n - n % _BATCH
            batch = self._made[n // _BATCH] = list(self._between(start, start + _BATCH))
        return batch[n % _BATCH]

    def __iter__(self) -> Iterator[T]:
        return self.from_(0)

    def from_(self, n: int) -> Iterator[T]:
        """All from one on, none of them held."""
        for start in range(n, len(self), _WALKED):
            yield from self._between(start, start + _WALKED)

    def _between(self, start: int, stop: int) -> Iterator[T]:
        for first, chunk in self._chunks[max(0, bisect_right(self._firsts, start) - 1) :]:
            if first >= stop:
                break
            low = max(start - first, 0)
            columns = (between(chunk[name], low, stop - first) for name in self._names)
            rows = zip(*map(listed, columns), strict=True)
            for n, row in enumerate(rows, first + low):
                yield self._make(n, row)
