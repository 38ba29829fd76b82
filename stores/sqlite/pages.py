"""The pages of a database file: which tree each belongs to. Rows are left to SQLite to read.

Only what points from page to page is read here: the children of interior pages and the list of
free pages. That is enough to tell which pages hold rows that no tree leads to any more.
"""

from collections.abc import Iterator

from msgspec import Struct

from suture.stores._store import SQLITE

LEAF, INTERIOR = 0x0D, 0x05  # of tables with a rowid
INDEX_LEAF, INDEX_INTERIOR = 0x0A, 0x02  # of indexes, and of tables without one
LEAST, MOST = -(2**63), 2**63 - 1  # of a rowid


class Child(Struct, frozen=True):
    page: int
    least: int  # its rowids are above this
    most: int


class Pages(Struct, frozen=True):
    """A settled database file, without a `-wal` that says otherwise."""

    data: memoryview
    size: int

    @property
    def count(self) -> int:
        return len(self.data) // self.size

    @property
    def missing(self) -> int:
        """Pages that the header counts beyond the end, if its writer kept the count."""
        kept = self.data[24:28] == self.data[92:96]
        return max(0, self._number(28, 4) - self.count) if kept else 0

    def kind(self, page: int) -> int:
        return self.data[self._start(page)] if self.is_there(page) else 0

    def is_interior(self, page: int) -> bool:
        return self.kind(page) in (INTERIOR, INDEX_INTERIOR)

    def children(self, page: int, least: int = LEAST, most: int = MOST) -> Iterator[Child]:
        """The children of an interior page with their range; a page may be beyond the end."""
        with_rowids = self.kind(page) == INTERIOR
        for cell in self._cells(page):
            child = self._number(cell, 4)
            key = self._varint(cell + 4) if with_rowids else most
            if with_rowids and not least <= key <= most:
                continue
            yield Child(child, least, key)
            least = key if with_rowids else least
        last = self._number(self._start(page) + 8, 4)
        yield Child(last, least, most)

    def has_all_children(self, page: int, found: int) -> bool:
        return found == self._number(self._start(page) + 3, 2) + 1

    def reach(self, root: int) -> set[int]:
        """The pages of a tree, those of long values left out."""
        seen: set[int] = set()
        waiting = [root]
        while waiting:
            page = waiting.pop()
            if page in seen or not self.is_there(page):
                continue
            seen.add(page)
            if self.is_interior(page):
                waiting += [child.page for child in self.children(page)]
        return seen

    def free(self) -> set[int]:
        seen: set[int] = set()
        trunk = self._number(32, 4)
        while self.is_there(trunk) and trunk not in seen:
            seen.add(trunk)
            start = (trunk - 1) * self.size
            count = min(self._number(start + 4, 4), self.size // 4 - 2)
            seen.update(self._number(start + 8 + 4 * i, 4) for i in range(count))
            trunk = self._number(start, 4)
        return seen

    def widths(self, page: int) -> set[int]:
        """How many values the rows of a leaf have."""
        return {width for cell in self._cells(page) if (width := self._width(cell))}

    def _width(self, cell: int) -> int | None:
        at = self._after(self._after(cell))
        end, at = at + self._varint(at), self._after(at)
        if end > len(self.data):
            return None
        count = 0
        while at < end:
            at, count = self._after(at), count + 1
        return count

    def _cells(self, page: int) -> Iterator[int]:
        start = self._start(page)
        table = start + (12 if self.is_interior(page) else 8)
        end = page * self.size
        for i in range(self._number(start + 3, 2)):
            if table + 2 * i + 2 > end:
                return
            cell = (page - 1) * self.size + self._number(table + 2 * i, 2)
            if table < cell <= end - 5:
                yield cell

    def _start(self, page: int) -> int:
        return 100 if page == 1 else (page - 1) * self.size

    def is_there(self, page: int) -> bool:
        return 1 <= page <= self.count

    def _number(self, at: int, length: int) -> int:
        return int.from_bytes(self.data[at : at + length], "big")

    def _after(self, at: int) -> int:
        for i in range(9):
            if at + i >= len(self.data) or self.data[at + i] < 0x80:
                return at + i + 1
        return at + 9

    def _varint(self, at: int) -> int:
        value = 0
        for i, byte in enumerate(bytes(self.data[at : at + 9])):
            if i == 8:
                value = value << 8 | byte
                break
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                break
        return value - 2**64 if value >= 2**63 else value


def pages_of(data: memoryview) -> Pages | None:
    """None: not even the header of the file can be used."""
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    if bytes(data[: len(SQLITE)]) != SQLITE or size < 512 or size & size - 1:
        return None
    return Pages(data, size)
