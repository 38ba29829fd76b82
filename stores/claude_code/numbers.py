"""Which records have an id, or name it. A dict of those of a long session takes ten times the room
and most plans ask for a few."""

from array import array
from collections.abc import Iterable, Sequence


class Numbers:
    """id → n of each, in order. A table of hashes, chained: 128 bits of them stand for an id."""

    def __init__(self) -> None:
        self._n, self._next = array("q"), array("i")
        self._hash, self._other = array("q"), array("q")
        self._heads = array("i")  # by the low bits of the hash: the last entry, or -1

    def take(self, ns: Iterable[int], ids: Sequence[str]) -> None:
        self._n.extend(ns)
        self._hash.extend(map(hash, ids))
        self._other.extend(hash(id[::-1]) for id in ids)

    def of(self, id: str) -> list[int]:
        if len(self._next) < len(self._n):
            self._link()
        if not self._n:
            return []
        wanted, other, found = hash(id), hash(id[::-1]), list[int]()
        entry = self._heads[wanted & (len(self._heads) - 1)]
        while entry >= 0:
            if self._hash[entry] == wanted and self._other[entry] == other:
                found.append(self._n[entry])
            entry = self._next[entry]
        return found[::-1]

    def _link(self) -> None:
        self._heads = heads = array("i", [-1]) * (1 << len(self._n).bit_length())
        self._next = array("i")
        add, mask = self._next.append, len(heads) - 1
        for entry, wanted in enumerate(self._hash):
            at = wanted & mask
            add(heads[at])
            heads[at] = entry
