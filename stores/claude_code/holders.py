"""Which record holds an id. Those of a huge file take a sixth of the room that a dict would."""

from array import array
from collections.abc import Mapping

_RECENT = 1 << 15  # few files have more


class Holders:
    """id → n. The holder that was set last counts."""

    def __init__(self) -> None:
        self.recent: dict[str, int] = {}
        self.older: Older | None = None  # None as long as all are recent

    def get(self, id: str) -> int | None:
        n = self.recent.get(id)
        return self.get_older(id) if n is None else n

    def get_older(self, id: str) -> int | None:
        """Of one that is not among the recent."""
        if self.older is None or (n := self.older.find(id)) < 0:
            return None
        return n

    def __contains__(self, id: str) -> bool:
        return self.get(id) is not None

    def __setitem__(self, id: str, n: int) -> None:
        self.recent[id] = n

    def settle(self) -> None:
        """Call now and then, while a file is read."""
        if len(self.recent) >= _RECENT:
            if self.older is None:
                self.older = Older()
            self.older.take(self.recent)
            self.recent.clear()


class Older:
    """A table of hashes, chained: 128 bits of them stand for an id."""

    def __init__(self) -> None:
        self._heads = array("i")  # by the low bits of the hash: the newest entry, or -1
        self._next, self._n = array("i"), array("i")
        self._hash, self._other = array("q"), array("q")

    def take(self, holders: Mapping[str, int]) -> None:
        first, found = len(self._n), self._hash
        found.extend(map(hash, holders))
        self._other.extend(hash(id[::-1]) for id in holders)
        self._n.extend(holders.values())
        if len(found) > len(self._heads):
            self._heads = array("i", [-1]) * (1 << len(found).bit_length())
            del self._next[:]
            first = 0
        heads, add, mask = self._heads, self._next.append, len(self._heads) - 1
        for entry in range(first, len(found)):
            at = found[entry] & mask
            add(heads[at])
            heads[at] = entry

    def find(self, id: str) -> int:
        """n, or -1."""
        wanted = hash(id)
        entry = self._heads[wanted & (len(self._heads) - 1)]
        while entry >= 0:
            if self._hash[entry] == wanted and self._other[entry] == hash(id[::-1]):
                return self._n[entry]
            entry = self._next[entry]
        return -1
