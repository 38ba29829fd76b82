"""Where the records of a transcript lie by what edits ask for, so that no operation walks them all.

Made when it is first asked for, and never changed: what operations add or take out is the draft's.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, count
from typing import Any

from msgspec import Struct, field

from suture.model.rows import DamageRow
from suture.stores._columns import listed
from suture.stores.claude_code.records import CHAINED
from suture.stores.claude_code.view import Call, Transcript

_NEVER = -1 << 63  # the time of a record that states none

Numbers = dict[str, int | list[int]]  # id → n; most ids have one


class Named(Struct, frozen=True):
    """Uuids that a compaction or a context collapse relies on."""

    kept: dict[str, int]  # uuid → line of the boundary that names it
    collapsed: bytes  # the lines of context collapses, which name uuids in ways of their own


class Lane(Struct, frozen=True):
    """n of its records, in order."""

    chained: "array[int]" = field(default_factory=lambda: array("q"))
    times: "array[int]" = field(default_factory=lambda: array("q"))  # of the chained ones
    newest: "array[int]" = field(default_factory=lambda: array("q"))  # place of the newest so far
    talk: "array[int]" = field(default_factory=lambda: array("q"))  # what the model gets
    users: "array[int]" = field(default_factory=lambda: array("q"))
    results: "array[int]" = field(default_factory=lambda: array("q"))

    def latest(self, gone: Container[int], until: int | None = None) -> int | None:
        """The newest time of those up to `until` that are not gone."""
        stop = len(self.chained) if until is None else bisect_right(self.chained, until)
        best = _NEVER
        while stop:
            at = self.newest[stop - 1]
            if self.chained[at] not in gone:
                best = max(best, self.times[at])
                break
            for other in range(at + 1, stop):
                if self.chained[other] not in gone:
                    best = max(best, self.times[other])
            stop = at
        return None if best == _NEVER else best


class Index:
    def __init__(self, found: Transcript) -> None:
        self.found = found
        self.entries = found.entries
        self._marks = found.records.marks

    def _column(self, name: str) -> Iterator[Any]:
        """Of every record."""
        for _, chunk in self.found.records.chunks():
            yield from listed(chunk[name])

    @cached_property
    def kids(self) -> Numbers:
        """Links of the chain by the parent that they name."""
        found: Numbers = {}
        for n, (mark, parent) in enumerate(zip(self._marks, self._column("parent"), strict=True)):
            if mark & CHAINED and parent is not None:
                _put(found, parent, n)
        return found

    @cached_property
    def holders(self) -> Numbers:
        """Links of the chain by their id."""
        found: Numbers = {}
        for n, (mark, id) in enumerate(zip(self._marks, self._column("id"), strict=True)):
            if mark & CHAINED:
                _put(found, id or "", n)
        return found

    @cached_property
    def lanes(self) -> dict[str, Lane]:
        lanes: dict[str, Lane] = defaultdict(Lane)
        for entry in self.entries:
            lane = lanes[entry.lane]
            if entry.chained:
                lane.chained.append(entry.n)
                lane.times.append(_NEVER if entry.time is None else entry.time)
                if entry.rendered and entry.length and (entry.on_chain or entry.lane != "main"):
                    lane.talk.append(entry.n)
            if entry.type == "user" and entry.length:
                lane.users.append(entry.n)
                if entry.kind == "result":
                    lane.results.append(entry.n)
        for lane in lanes.values():
            lane.newest.extend(_newest(lane.times))
        return lanes

    @cached_property
    def responses(self) -> dict[tuple[str, str], list[int]]:
        """Lines of the model by lane and response."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        columns = zip(self._column("type"), self._column("group"), strict=True)
        for n, (full_type, group) in enumerate(columns):
            if group is not None and full_type == "assistant":
                found[self.found.records.lane(n), group].append(n)
        return found

    @cached_property
    def calls(self) -> dict[int, list[Call]]:
        """By the record that holds them."""
        found: dict[int, list[Call]] = defaultdict(list)
        for call in self.found.calls:
            found[call.n].append(call)
        return found

    @cached_property
    def results(self) -> dict[str, list[int]]:
        """Records with a result of a call of the user's side, by the id of the call."""
        found: dict[str, list[int]] = defaultdict(list)
        for result in self.found.results:
            if not result.server:
                found[result.call_id].append(result.n)
        return found

    @cached_property
    def damage(self) -> dict[int | None, list[DamageRow]]:
        """By offset."""
        found: dict[int | None, list[DamageRow]] = defaultdict(list)
        for row in self.found.damage:
            found[row.offset].append(row)
        return found

    @cached_property
    def named(self) -> Named:
        kept: dict[str, int] = {}
        for boundary in self.found.boundaries:
            meta = boundary.meta
            messages, segment = meta.preserved_messages, meta.preserved_segment
            uuids = [*((messages and messages.uuids) or ())]
            if segment is not None:
                uuids += [uuid for uuid in (segment.head_uuid, segment.tail_uuid) if uuid]
            kept |= dict.fromkeys(uuids, self.entries[boundary.n].number)
        collapsed = b"".join(
            bytes(self.found.data[self.found.records.span(n)])
            for n, full_type in enumerate(self._column("type"))
            if full_type.startswith("marble-origami-")
        )
        return Named(kept, collapsed)

    def leads_down(self, floor: int) -> bool:
        """Whether a record before `floor` names a parent that stands at it or behind it."""
        starts, ends = self._forward
        before = bisect_left(starts, floor)
        return before > 0 and ends[before - 1] >= floor

    @cached_property
    def _forward(self) -> tuple[Sequence[int], Sequence[int]]:
        """Records whose parent stands behind them, and the farthest parent up to each."""
        links = [(n, up) for n, up in zip(count(), self.found.records.up) if up > n]
        return [n for n, _ in links], list(accumulate((up for _, up in links), max))


def _put(found: Numbers, id: str, n: int) -> None:
    others = found.setdefault(id, n)
    if isinstance(others, list):
        others.append(n)
    elif others != n:
        found[id] = [others, n]


def _newest(times: Sequence[int]) -> Iterator[int]:
    best = 0
    for at, time in enumerate(times):
        if time >= times[best]:
            best = at
        yield best
