"""Rows of one table: by column where all are asked the same, as a mapping where one is asked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from suture.model.edit import Value

Record = Mapping[str, Value]
Values = Sequence[Value]

TOGETHER = 1024  # rows of which what is made on the way is held at once


class Rows(Sequence[Record]):
    def __init__(self, names: tuple[str, ...], values: Sequence[tuple[Value, ...]]) -> None:
        self.names, self.values = names, values
        self._columns: dict[str, Values] = {}

    def column(self, name: str) -> Values:
        """Raises KeyError."""
        if not self.values:
            return ()
        if not self._columns:
            self._columns = dict(zip(self.names, zip(*self.values, strict=True), strict=True))
        return self._columns[name]

    def parts(self, size: int) -> Iterator[tuple[int, "Rows"]]:
        """Some rows at a time, with the place of the first: what is made of them need not be
        held for all."""
        if 0 < len(self.values) <= size:
            yield 0, self  # with the columns that are made already
            return
        for start in range(0, len(self.values), size):
            yield start, self[start : start + size]

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> "Rows": ...
    def __getitem__(self, at: int | slice) -> "Record | Rows":
        if isinstance(at, slice):
            return Rows(self.names, self.values[at])
        return dict(zip(self.names, self.values[at], strict=True))


def are(values: Values, *kinds: type) -> bool:
    """Nearly every column holds values of one type throughout, which is cheap to tell."""
    return set(map(type, values)) <= set(kinds)
