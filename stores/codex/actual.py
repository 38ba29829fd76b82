"""Where the turns of a rollout stand in its file, column by column: no object a record."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from suture.model.rows import DamageRow
from suture.stores.codex.rollout import Rollout

_PASSES_SINCE = (0, 154)  # from here on a projection steps over repeated and skipped ordinals
_NONE = -1  # in place of an ordinal


class Place(Struct, frozen=True):
    ordinal: int
    offset: int


class Actual:
    def __init__(self, rollout: Rollout) -> None:
        self.rollout = rollout
        self.size = len(rollout.data)
        version = next(reversed(rollout.header.versions), "")
        numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
        self.stops = numbers < _PASSES_SINCE  # at an ordinal that it does not expect

    @cached_property
    def ordinals(self) -> list[int]:
        return [_NONE if o is None else o for o in self.rollout.records.all_of("ordinal")]

    @cached_property
    def offsets(self) -> list[int]:
        return list(self.rollout.records.all_of("offset"))

    @cached_property
    def _highest(self) -> list[int]:
        return list(accumulate(self.ordinals, max))

    def is_fresh(self, n: int) -> bool:
        """Whether its ordinal is above all before: a projection passes over the others."""
        return self.ordinals[n] > (self._highest[n - 1] if n else _NONE)

    @cached_property
    def is_dense(self) -> bool:
        """Each ordinal one above the last. A line that cannot be read stands for a missing one."""
        unread = sorted(row.offset for row in self.unread if row.offset is not None)
        for n, (before, after) in enumerate(zip(self.ordinals, self.ordinals[1:], strict=False)):
            if after == before + 1:
                continue
            low, high = self.offsets[n], self.offsets[n + 1]
            lost = bisect_left(unread, high) - bisect_left(unread, low)
            if before == _NONE or not 1 <= after - before <= lost + 1:
                return False
        return True

    @cached_property
    def unread(self) -> list[DamageRow]:
        return [row for row in self.rollout.damage if not row.recovered]

    @cached_property
    def starts(self) -> Mapping[str, Place]:
        """Of turns that start once, at a record that a projection takes. One that ended before is
        stored where it ended (measured on 0.150 and 0.171)."""
        found: dict[str, Place | None] = {}
        for turn in self.rollout.turns.all:
            if turn.id is not None:
                known = turn.id in found or not self._is_taken(turn.start_n)
                known = known or turn.id in self.rollout.turns.ended_before
                found[turn.id] = None if known else self._place(turn.start_n)
        return {id: place for id, place in found.items() if place is not None}

    @cached_property
    def ends(self) -> Mapping[str, Place]:
        """The ordinal of a turn's last record, and where the line after it starts. Of one that
        starts again a client keeps the first end (measured on 0.150 and 0.171)."""
        found: dict[str, Place] = {}
        starts = Counter(turn.id for turn in self.rollout.turns.all)
        for turn in self.rollout.turns.all:
            if turn.id is None or turn.end_n is None or turn.ends != 1 or starts[turn.id] > 1:
                continue
            if turn.id in self.rollout.turns.ended_before:
                continue
            if self._is_taken(turn.end_n):
                found[turn.id] = Place(self.ordinals[turn.end_n], self.after(turn.end_n))
        return found

    def _is_taken(self, n: int) -> bool:
        return self.is_fresh(n) and n not in self.rollout.records.recovered

    def _place(self, n: int) -> Place:
        return Place(self.ordinals[n], self.offsets[n])

    def after(self, n: int) -> int:
        """Where the line after a record's starts."""
        end: int = self.rollout.records.span(n).stop
        while end < self.size and self.rollout.data[end] != 0x0A:
            end += 1
        return min(end + 1, self.size)

    def at(self, offset: int) -> int | None:
        """The first numbered record from `offset` on."""
        first = bisect_left(self.offsets, offset)
        return next((n for n in range(first, len(self.offsets)) if self.ordinals[n] != _NONE), None)

    def only(self, ordinal: int) -> int | None:
        """The one record with this ordinal."""
        if self.ordinals.count(ordinal) != 1:
            return None
        return self.ordinals.index(ordinal)

    def follows(self, n: int) -> bool:
        """Whether the ordinals are in order at a record."""
        return n > 0 and self.ordinals[n - 1] + 1 == self.ordinals[n] and not self.rollout.damage

    @property
    def following(self) -> int | None:
        """The ordinal that a client gives the next record; None where that is not sure."""
        last = len(self.ordinals) - 1
        if last < 0 or not self.is_fresh(last) or self.rollout.damage:
            return None
        if self.rollout.records.value("kind", last) == "unknown":
            return None  # its ordinal is given again
        return self.ordinals[last] + 1
