"""Where the records of a transcript lie by what edits ask for, so that no operation walks them all.

Made when it is first asked for, and never changed: what operations add or take out is the draft's.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, compress, count

from msgspec import Struct, field

from suture.model.rows import DamageRow
from suture.stores._columns import listed
from suture.stores.claude_code.numbers import Numbers
from suture.stores.claude_code.records import (
    ANSWER,
    ASSISTANT,
    CHAINED,
    RENDERED,
    USER,
    both,
    marked,
)
from suture.stores.claude_code.view import Call, Transcript

_NEVER = -1 << 63  # the time of a record that states none


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

    def _named(self, name: str, mark: int, missing: str | None = None) -> Numbers:
        """Records with this mark by what a column says of them. `missing`: what counts as said
        where it is silent."""
        found = Numbers()
        for first, chunk in self.found.records.chunks():
            ids = listed(chunk[name])
            if missing is not None:
                ids = [missing if id is None else id for id in ids]
            asked = marked(self._marks[first : first + len(ids)], mark)
            pairs = [(n, id) for n, id in compress(enumerate(ids, first), asked) if id is not None]
            found.take([n for n, _ in pairs], [id for _, id in pairs])
        return found

    @cached_property
    def kids(self) -> Numbers:
        """Links of the chain by the parent that they name."""
        return self._named("parent", CHAINED)

    @cached_property
    def holders(self) -> Numbers:
        """Links of the chain by their id."""
        return self._named("id", CHAINED, "")

    @cached_property
    def _responses(self) -> Numbers:
        return self._named("group", ASSISTANT)

    def response(self, lane: str, group: str | None) -> list[int]:
        """Lines of the model of one response."""
        if group is None:
            return []
        return [n for n in self._responses.of(group) if self.found.records.lane(n) == lane]

    @cached_property
    def lanes(self) -> dict[str, Lane]:
        records = self.found.records
        marks, count = self._marks, len(self._marks)
        times = [_NEVER if time is None else time for time in self.found.records.all_of("time")]
        holds = bytes(map(bool, self.found.records.all_of("length")))
        chained, users = marked(marks, CHAINED), both(marked(marks, USER), holds)
        rendered = both(marked(marks, CHAINED | RENDERED), holds)
        results = both(marked(marks, USER | ANSWER), holds)
        lanes: dict[str, Lane] = defaultdict(Lane)
        for name, mine in _by_lane(records.lanes, count).items():
            own = both(chained, mine)
            talk = both(rendered, mine)
            lanes[name] = Lane(
                _numbers(own),
                array("q", compress(times, own)),
                array("q"),
                _numbers(both(talk, records.on_chain) if name == "main" else talk),
                _numbers(both(users, mine)),
                _numbers(both(results, mine)),
            )
        for lane in lanes.values():
            lane.newest.extend(_newest(lane.times))
        return lanes

    @cached_property
    def _call_lines(self) -> "array[int]":
        return array("q", self.found.calls.column("n").to_pylist())

    def calls(self, n: int) -> list[Call]:
        """Those that a record holds."""
        lines = self._call_lines
        return self.found.calls.between(bisect_left(lines, n), bisect_right(lines, n))

    @cached_property
    def results(self) -> Numbers:
        """Records with a result of a call of the user's side, by the id of the call."""
        columns = (self.found.results.column(name) for name in ("n", "call_id", "server"))
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        found, pairs = Numbers(), [(n, id) for n, id, server in rows if not server]
        found.take([n for n, _ in pairs], [id for _, id in pairs])
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
            for n, full_type in enumerate(self.found.records.all_of("type"))
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


def _by_lane(others: Mapping[int, str], count: int) -> dict[str, bytes | bytearray]:
    """A byte a record: 1 where it is of the lane. `others`: records of other lanes than main."""
    found: dict[str, bytes | bytearray] = {}
    main = bytearray(b"\1") * count
    for n, name in others.items():
        main[n] = 0
        mine = found.setdefault(name, bytearray(count))
        assert isinstance(mine, bytearray)
        mine[n] = 1
    return {"main": main, **found}


def _numbers(ones: bytes) -> "array[int]":
    return array("q", compress(range(len(ones)), ones))


def _newest(times: Sequence[int]) -> Iterator[int]:
    best = 0
    for at, time in enumerate(times):
        if time >= times[best]:
            best = at
        yield best
