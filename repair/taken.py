"""The edits of one round so far: whether another one touches any of them."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Hashable
from operator import itemgetter

from suture.model.edit import Edit, RowEdit, SpanEdit

_start = itemgetter(0)


class Taken:
    """Asked once an edit, so that thousands of them are not compared with each other."""

    def __init__(self) -> None:
        self._bytes: dict[str, _Stretches] = {}
        self._others: dict[Hashable, list[Edit]] = {}

    def clashes(self, edit: Edit) -> bool:
        """Whether the order of this edit and another one would matter."""
        if isinstance(edit, SpanEdit):
            stretches = self._bytes.get(edit.path)
            return stretches is not None and stretches.touched(edit.offset, edit.length)
        return edit in self._others.get(_place(edit), ())

    def add(self, edit: Edit) -> None:
        if isinstance(edit, SpanEdit):
            self._bytes.setdefault(edit.path, _Stretches()).add(edit.offset, edit.length)
        else:
            self._others.setdefault(_place(edit), []).append(edit)


class _Stretches:
    """Of one file. Those that share a byte count as one: what lies inside it clashes either way."""

    def __init__(self) -> None:
        self._points: set[int] = set()  # of insertions
        self._inserts: list[int] = []
        self._spans: list[tuple[int, int]] = []  # start and end, in order

    def touched(self, offset: int, length: int) -> bool:
        """As `patches.clash` says of each."""
        if not length and offset in self._points:
            return True
        at = bisect_left(self._spans, offset + length, key=_start) - 1
        if at >= 0 and self._spans[at][1] > offset:
            return True
        inside = bisect_right(self._inserts, offset)
        return inside < len(self._inserts) and self._inserts[inside] < offset + length

    def add(self, offset: int, length: int) -> None:
        if not length:
            self._points.add(offset)
            insort(self._inserts, offset)
            return
        end = offset + length
        first = bisect_right(self._spans, offset, key=lambda span: span[1])
        last = bisect_left(self._spans, end, key=_start)
        if first < last:
            offset, end = min(offset, self._spans[first][0]), max(end, self._spans[last - 1][1])
        self._spans[first:last] = [(offset, end)]


def _place(edit: Edit) -> Hashable:
    if isinstance(edit, RowEdit):
        return edit.path, edit.table, frozenset(edit.key.items())
    return type(edit), edit.path
