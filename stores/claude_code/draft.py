"""What operations ask of one transcript, gathered first, then written as edits of its bytes.

Everything is held by record number, so operations of one round see what the others ask for:
answers of one response hang on each other, and children of a record that goes find its parent.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from suture.model.edit import Copy, SpanEdit
from suture.model.errors import Unsupported
from suture.stores._json_span import Path, span
from suture.stores.claude_code.index import Index
from suture.stores.claude_code.numbers import Numbers
from suture.stores.claude_code.view import Entry

Owned = tuple[int, SpanEdit]  # number of the operation that asked for it
_Value = tuple[int, int, int, tuple[bytes | Copy, ...]]  # operation, start and end in the line


class Draft:
    def __init__(self, index: Index) -> None:
        self.index, self.found = index, index.found
        self.added: list[Entry] = []
        self.parents: dict[int, str | None] = {}  # n → new parent
        self.removed: dict[int, int] = {}  # n → operation
        self.moved: dict[int, int] = {}  # n → n of the record that it goes behind
        self.owners: dict[int, int] = {}  # n → operation that changes its parent
        self.values: dict[int, list[_Value]] = defaultdict(list)
        self.inserts: dict[int, list[tuple[int, bytes]]] = defaultdict(list)  # by offset
        self.spans: list[Owned] = []
        self.pointer: tuple[int, bytes] | None = None
        self._kids = _Changing(index.kids)
        self._holders = _Changing(index.holders)
        self._behind: dict[int, int] = {}  # n of what is added → n of what it stands behind
        self._down: list[tuple[int, int]] = []  # new links to a parent that stands behind
        self._new_ids: dict[str, int] = {}
        self.given: dict[int, Entry] = {}  # that had no uuid
        self._added_times: dict[str, int] = {}
        self._answers: dict[str, list[Entry]] = defaultdict(list)
        self._heirs: dict[int, str | None] = {}

    # What holds now

    def at(self, n: int) -> Entry:
        if n in self.given:
            return self.given[n]
        stored = self.index.entries
        return stored[n] if n < len(stored) else self.added[n - len(stored)]

    def entry(self, n: int) -> Entry:
        if not 0 <= n < len(self.index.entries) + len(self.added):
            raise Unsupported(f"record {n} is not in {self.found.path}")
        return self.at(n)

    def holder(self, uuid: str | None) -> int | None:
        """n of the link that a walk finds by this id."""
        n = self._new_ids.get(uuid or "")
        return self.found.by_id.get(uuid or "") if n is None else n

    def parent(self, entry: Entry) -> str | None:
        return self.parents.get(entry.n, entry.parent)

    def above(self, entry: Entry) -> Iterator[Entry]:
        """The entry and its ancestors, each once."""
        seen: set[int] = set()
        at: int | None = entry.n
        while at is not None and at not in seen:
            seen.add(at)
            above = self.at(at)
            yield above
            at = self.holder(self.parent(above))

    def ancestors(self, entry: Entry, wanted: frozenset[int]) -> set[int]:
        """Which of these records stand above the entry, or are it."""
        found: set[int] = set()
        floor = min(map(self._place, wanted))
        for above in self.above(entry):
            if above.n in wanted:
                found.add(above.n)
            if len(found) == len(wanted) or self._ends(above, floor):
                break
        return found

    def _ends(self, entry: Entry, floor: int) -> bool:
        """Whether no walk from this entry comes to a record at `floor` or behind it."""
        if self._place(entry.n) >= floor or self.index.leads_down(floor):
            return False
        return not any(start < floor <= end for start, end in self._down)

    def _place(self, n: int) -> int:
        """Of what is added that of the record before it."""
        return self._behind.get(n, n)

    def kids(self, entry: Entry) -> list[Entry]:
        return [kid for kid in self.named(entry.uuid or "") if kid.n not in self.removed]

    def named(self, uuid: str) -> list[Entry]:
        """Records that name this parent, whether a record holds the id or not."""
        return [self.at(n) for n in sorted(self._kids.of(uuid))]

    def alive(self, lane: str) -> Iterator[Entry]:
        """Chained records of the lane that stay, last first."""
        stored = self.index.lanes[lane].chained
        for entry in reversed(self.added):
            if entry.lane == lane and entry.n not in self.removed:
                yield entry
        for n in reversed(stored):
            if n not in self.removed:
                yield self.index.entries[n]

    def last_time(self, lane: str, until: int | None = None) -> int | None:
        """Of the stored records of the lane that stay."""
        return self.index.lanes[lane].latest(self.removed, until)

    def newest(self, lane: str) -> int:
        """The last time of the lane, with that of what is added."""
        return max(self.last_time(lane) or 0, self._added_times.get(lane, 0))

    # What is asked for

    def hang(self, owner: int, entry: Entry, parent: str | None) -> None:
        old = self.parent(entry)
        if old is not None:
            self._kids.change(old).discard(entry.n)
        if parent is not None:
            self._link(entry, parent)
        self.parents[entry.n] = parent
        self.owners[entry.n] = owner

    def _link(self, entry: Entry, parent: str) -> None:
        self._kids.change(parent).add(entry.n)
        at, to = self._place(entry.n), self.holder(parent)
        if to is not None and self._place(to) > at:
            self._down.append((at, self._place(to)))

    def remove(self, owner: int, entry: Entry) -> None:
        self._check_named(entry)
        self.removed.setdefault(entry.n, owner)

    def move(self, owner: int, entry: Entry, after: Entry) -> None:
        self.moved[entry.n] = after.n
        self.owners.setdefault(entry.n, owner)

    def set_value(self, owner: int, entry: Entry, path: Path, value: object) -> None:
        raw = self.bytes_of(entry)
        place = span(raw, path)
        if place is None:
            raise Unsupported(f"line {entry.number} has no {path[-1]} that could be changed")
        self.replace(owner, entry, *place, (json_value(value),))

    def name(self, owner: int, entry: Entry, uuid: str) -> None:
        """Give a record a uuid that has none."""
        raw = self.bytes_of(entry)
        start, end = span(raw, ("uuid",)) or (raw.rindex(b"}"),) * 2
        key = b"" if end > start else b',"uuid":'
        self.replace(owner, entry, start, end, (key + json_value(uuid),))
        self.given[entry.n] = replace(entry, uuid=uuid)
        self._new_ids[uuid] = entry.n

    def replace(
        self, owner: int, entry: Entry, start: int, end: int, after: tuple[bytes | Copy, ...]
    ) -> None:
        self.values[entry.n].append((owner, start, end, after))

    def add(self, owner: int, entry: Entry, line: bytes, after: Entry | None) -> None:
        """A new line behind that of `after`, or at the end of the file."""
        entry.n = len(self.index.entries) + len(self.added)
        self.added.append(entry)
        self._behind[entry.n] = entry.n if after is None else after.n
        uuid = entry.uuid or ""
        self._new_ids[uuid] = entry.n
        self._holders.change(uuid).add(entry.n)
        if entry.parent is not None:
            self._link(entry, entry.parent)
        if entry.time is not None:
            self._added_times[entry.lane] = max(entry.time, self._added_times.get(entry.lane, 0))
        if entry.source is not None:
            self._answers[entry.source].append(entry)
        self.add_line(owner, line, after)

    def answers(self, source: str | None) -> Sequence[Entry]:
        """Results that were added for calls of this line."""
        return self._answers.get(source, ()) if source is not None else ()

    def add_line(self, owner: int, line: bytes, after: Entry | None) -> None:
        offset = len(self.found.data) if after is None else self.behind(after)
        self.inserts[offset].append((owner, line))

    def add_pointer(self, owner: int, line: bytes) -> None:
        """The last line of all; a later pointer takes the place of an earlier one."""
        self.pointer = (owner, line)

    def add_edit(self, owner: int, edit: SpanEdit) -> None:
        self.spans.append((owner, edit))

    # Bytes

    def bytes_of(self, entry: Entry) -> bytes:
        return bytes(self.found.data[entry.offset : entry.offset + entry.length])

    def behind(self, entry: Entry) -> int:
        """The offset behind the record's line end, or behind the record if it has none."""
        end = entry.offset + entry.length
        following = bytes(self.found.data[end : end + 2])
        if following.startswith(b"\n"):
            return end + 1
        return end + 2 if following == b"\r\n" else end

    def extent(self, entry: Entry) -> int:
        """Bytes that go with the record; of several in a line the last leaves the line end."""
        starts_line = bytes(self.found.data[max(entry.offset - 1, 0) : entry.offset]) in (
            b"",
            b"\n",
        )
        return (self.behind(entry) if starts_line else entry.offset + entry.length) - entry.offset

    def _check_named(self, entry: Entry) -> None:
        uuid = entry.uuid
        if uuid is None or len(self._holders.of(uuid)) > 1:
            return
        named = self.index.named
        line = named.kept.get(uuid)
        if line is None and named.collapsed and uuid.encode() in named.collapsed:
            raise Unsupported(f"a context collapse names the record of line {entry.number}")
        if line is not None:
            raise Unsupported(f"line {line} keeps the record of line {entry.number} by its uuid")

    # What follows from it

    def settle(self) -> None:
        """Children of what goes hang on its nearest ancestor that stays."""
        for n, owner in sorted(self.removed.items()):
            entry = self.at(n)
            gone = entry.uuid
            if gone is None or not self.removed.keys() >= {*self._holders.of(gone)}:
                continue
            kids, is_leaf = self.kids(entry), self._pointed == gone
            heir = self.heir(entry) if kids or is_leaf else None
            for kid in kids:
                self.hang(owner, kid, heir)
            if is_leaf:
                self.repoint(owner, gone, heir)

    def heir(self, entry: Entry) -> str | None:
        """The parent of what hangs on a record that goes. Of a long stretch that goes each finds
        what the one above it found."""
        passed: list[int] = []
        heir: str | None = None
        for above in self.above(entry):
            if above.n not in self.removed:
                heir = above.uuid
                break
            if above.n in self._heirs:
                heir = self._heirs[above.n]
                break
            passed.append(above.n)
            heir = self.parent(above)  # a root, or a parent that no record has
        else:
            if self.holder(heir) is not None:
                return heir  # a ring: each of it has another end
        self._heirs |= dict.fromkeys(passed, heir)
        return heir

    @property
    def _pointed(self) -> str | None:
        """The leaf that the last pointer names."""
        return self.found.hints[-1][1] if self.found.hints else None

    def repoint(self, owner: int, gone: str, heir: str | None) -> None:
        if not self.found.hints:
            return
        n, leaf = self.found.hints[-1]
        if leaf == gone and n < len(self.index.entries) and n not in self.removed:
            self.set_value(owner, self.at(n), ("leafUuid",), heir)


class _Changing:
    """Numbers of records by id, and what becomes of them."""

    def __init__(self, stored: Numbers) -> None:
        self._stored = stored
        self._now: dict[str, set[int]] = {}

    def of(self, id: str) -> Collection[int]:
        if id in self._now:
            return self._now[id]
        return self._stored.of(id)

    def change(self, id: str) -> set[int]:
        return self._now.setdefault(id, set(self.of(id)))


def json_value(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
