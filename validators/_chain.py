"""The parent links of one session, as a loader follows them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from sys import intern

from msgspec import Struct

from suture.db import Kept

TALK = frozenset({"prompt", "reply", "reasoning", "call", "result", "summary", "abort"})
NONE = -1
_NO, _ABOVE, _YES, _UNKNOWN = range(4)


class Links(Struct, frozen=True, dict=True):
    records: Kept  # those that can be a link
    ups: "array[int]"  # of each, n of the record that its parent names, or NONE

    def up(self, n: int) -> int | None:
        """n of the parent, None for a root or a parent that is not there."""
        up = self.ups[self._place(n)]
        return None if up == NONE else up

    def above(self, n: int) -> Iterator[int]:
        """The ancestors, nearest first, each once."""
        seen = {n}
        up = self.up(n)
        while up is not None and up not in seen:
            yield up
            seen.add(up)
            up = self.up(up)

    def root(self, n: int) -> int | None:
        """Where the walk from `n` ends; None if it runs in a circle."""
        at = self._ends[0][self._place(n)]
        return None if at == NONE else at

    def circles(self) -> Iterator[list[int]]:
        """Each once, from its first record in the file on."""
        places, settled = self._places, bytearray(len(self.ups))
        for start, root in enumerate(self._ends[0]):
            path, at = dict[int, None](), start
            while root == NONE and not settled[at] and at not in path:
                path[at] = None
                at = places[at]
            if at in path:
                walked = list(path)
                yield [self.records.ns[one] for one in sorted(walked[walked.index(at) :])]
            for one in path:
                settled[one] = True

    def in_one_lane(self, n: int) -> bool:
        """Whether all records of that walk are of one lane."""
        return bool(self._ends[1][self._place(n)])

    def is_live(self, n: int) -> bool:
        return self._live[self._place(n)] == _YES

    def hangs_on_live(self, n: int) -> bool:
        """Whether any ancestor is on the live chain; a way is walked once."""
        live, places, path = self._live, self._places, list[int]()
        at = places[self._place(n)]
        while at != NONE and live[at] == _UNKNOWN:
            live[at] = _NO  # in a circle, if the walk comes here again
            path.append(at)
            at = places[at]
        found = _NO if at == NONE else live[at]
        for below in path:
            live[below] = _ABOVE if found == _YES else found
        return found in (_YES, _ABOVE)

    @cached_property
    def _live(self) -> bytearray:
        """By place: whether it is on the live chain, or hangs on it."""
        flags = self.records.columns("on_chain")
        return bytearray(_YES if on_chain else _UNKNOWN for (on_chain,) in flags)

    def _place(self, n: int) -> int:
        place = self.records.place(n)
        if place is None:
            raise KeyError(n)
        return place

    def kids(self, n: int) -> list[int]:
        """In the order of the file."""
        first, following = self._kids
        place = self.records.place(n)
        found, at = list[int](), NONE if place is None else first[place]
        while at != NONE:
            found.append(self.records.ns[at])
            at = following[at]
        return found

    def has_kids(self, n: int) -> bool:
        place = self.records.place(n)
        return place is not None and self._kids[0][place] != NONE

    @cached_property
    def _ends(self) -> "tuple[array[int], bytearray]":
        """By place: n of the root, and whether the walk to it stays in its lane."""
        unknown = -2
        roots, alike = array("q", [unknown]) * len(self.ups), bytearray(len(self.ups))
        lanes, places = self._lanes, self._places
        for start, above in enumerate(places):
            if above < start and (above == NONE or roots[above] != unknown):  # as in most files
                roots[start] = self.records.ns[start] if above == NONE else roots[above]
                alike[start] = above == NONE or (alike[above] and lanes[above] == lanes[start])
                continue
            path, at, root = list[int](), start, NONE
            while roots[at] == unknown:
                roots[at] = NONE  # a circle, if the walk comes here again
                path.append(at)
                if places[at] == NONE:
                    root, alike[at] = self.records.ns[at], True
                    break
                at = places[at]
            else:
                root = roots[at]
            for below in reversed(path):
                roots[below] = root
                alike[below] = alike[at] and lanes[below] == lanes[at]
                at = below
        return roots, alike

    @cached_property
    def _places(self) -> "array[int]":
        """By place: that of the parent, which nearly always is the record before."""
        ns, found = self.records.ns, array("q", self.ups)
        before = NONE
        for place, (n, up) in enumerate(zip(ns, self.ups, strict=True)):
            if up != NONE:
                found[place] = place - 1 if up == before else self._place(up)
            before = n
        return found

    @cached_property
    def _lanes(self) -> list[str]:
        return [intern(lane) for (lane,) in self.records.columns("lane")]

    @cached_property
    def _kids(self) -> "tuple[array[int], array[int]]":
        """By place: that of the first kid, and that of the next one of the same parent."""
        first, following = (array("q", [NONE]) * len(self.ups) for _ in range(2))
        places = self._places
        for place in range(len(places) - 1, -1, -1):
            if (above := places[place]) != NONE:
                following[place] = first[above]
                first[above] = place
        return first, following

    @cached_property
    def points_forward(self) -> bool:
        """Some parent stands later in the file: only then can a walk run in a circle."""
        return any(up >= n for n, up in zip(self.records, self.ups, strict=True))

    @cached_property
    def _candidates(self) -> "Mapping[str, tuple[array[int], array[int]]]":
        """By lane: records that a child may hang on, and those of them that have none yet."""
        found: dict[str, tuple[array[int], array[int]]] = {}
        rows = self.records.columns("n", "kind", "copy_of", "same_id", "lane")
        for kid, (n, kind, copy_of, same_id, lane) in zip(self._kids[0], rows, strict=True):
            if kind != "event" and copy_of is None:
                if lane not in found:
                    found[lane] = array("q"), array("q")
                every, leaves = found[lane]
                every.append(n)
                if kid == NONE or (same_id is not None and max(self.kids(n)) < n):
                    leaves.append(n)  # what stands before it hangs on the earlier holder of its id
        return found

    def nearest_before(self, n: int) -> int | None:
        """The nearest earlier record of the lane that has no child yet, else the nearest."""
        lane = self._lanes[self._place(n)]
        every, leaves = self._candidates.get(lane, (array("q"), array("q")))
        for numbers in (leaves, every):
            for at in range(bisect_left(numbers, n) - 1, -1, -1):
                if not self.points_forward or not self.hangs_on(numbers[at], n):
                    return numbers[at]
        return None

    def hangs_on(self, n: int, above: int) -> bool:
        """Whether the walk from `n` passes there."""
        if self.up(above) is None:
            return self.root(n) == above
        return n == above or above in self.above(n)
