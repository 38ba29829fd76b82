"""What operations ask of one transcript, gathered first, then written as edits of its bytes.

Everything is held by record number, so operations of one round see what the others ask for:
answers of one response hang on each other, and children of a record that goes find its parent.
"""

import json
from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from suture.model.edit import Copy, SpanEdit
from suture.model.errors import Unsupported
from suture.stores._json_span import Path, span
from suture.stores.claude_code.view import Entry, Transcript

Owned = tuple[int, SpanEdit]  # number of the operation that asked for it
_Value = tuple[int, int, int, tuple[bytes | Copy, ...]]  # operation, start and end in the line


class _Named(Struct, frozen=True):
    kept: dict[str, int]  # uuid → line of the boundary that names it
    collapsed: bytes  # the lines of context collapses, which name uuids in ways of their own


class Draft:
    def __init__(self, found: Transcript) -> None:
        self.found = found
        self.parents: dict[int, str | None] = {}  # n → new parent
        self.removed: dict[int, int] = {}  # n → operation
        self.moved: dict[int, int] = {}  # n → n of the record that it goes behind
        self.owners: dict[int, int] = {}  # n → operation that changes its parent
        self.values: dict[int, list[_Value]] = defaultdict(list)
        self.inserts: dict[int, list[tuple[int, bytes]]] = defaultdict(list)  # by offset
        self.spans: list[Owned] = []
        self.pointer: tuple[int, bytes] | None = None
        self._named = _named(found)
        self._kids: dict[str, set[int]] = defaultdict(set)
        self._holders: dict[str, set[int]] = defaultdict(set)
        for entry in found.entries:
            if entry.chained:
                self._index(entry)

    def _index(self, entry: Entry) -> None:
        self._holders[entry.uuid or ""].add(entry.n)
        if entry.parent is not None:
            self._kids[entry.parent].add(entry.n)

    # What holds now

    def entry(self, n: int) -> Entry:
        if not 0 <= n < len(self.found.entries):
            raise Unsupported(f"record {n} is not in {self.found.path}")
        return self.found.entries[n]

    def parent(self, entry: Entry) -> str | None:
        return self.parents.get(entry.n, entry.parent)

    def above(self, entry: Entry) -> Iterator[Entry]:
        """The entry and its ancestors, each once."""
        seen: set[int] = set()
        at: int | None = entry.n
        while at is not None and at not in seen:
            seen.add(at)
            yield self.found.entries[at]
            at = self.found.by_id.get(self.parent(self.found.entries[at]) or "")

    def kids(self, entry: Entry) -> list[Entry]:
        found = sorted(self._kids.get(entry.uuid or "", ()))
        return [self.found.entries[n] for n in found if n not in self.removed]

    def named(self, uuid: str) -> list[Entry]:
        """Records that name this parent, whether a record holds the id or not."""
        return [self.found.entries[n] for n in sorted(self._kids.get(uuid, ()))]

    def alive(self, lane: str) -> Iterator[Entry]:
        """Chained records of the lane that stay, last first."""
        for entry in reversed(self.found.entries):
            if entry.chained and entry.lane == lane and entry.n not in self.removed:
                yield entry

    # What is asked for

    def hang(self, owner: int, entry: Entry, parent: str | None) -> None:
        old = self.parent(entry)
        if old is not None:
            self._kids[old].discard(entry.n)
        if parent is not None:
            self._kids[parent].add(entry.n)
        self.parents[entry.n] = parent
        self.owners[entry.n] = owner

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

    def replace(
        self, owner: int, entry: Entry, start: int, end: int, after: tuple[bytes | Copy, ...]
    ) -> None:
        self.values[entry.n].append((owner, start, end, after))

    def add(self, owner: int, entry: Entry, line: bytes, after: Entry | None) -> None:
        """A new line behind that of `after`, or at the end of the file."""
        entry.n = len(self.found.entries)
        self.found.entries.append(entry)
        self.found.by_id[entry.uuid or ""] = entry.n
        self._index(entry)
        self.add_line(owner, line, after)

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
        if uuid is None or len(self._holders[uuid]) > 1:
            return
        line = self._named.kept.get(uuid)
        if line is None and uuid.encode() in self._named.collapsed:
            raise Unsupported(f"a context collapse names the record of line {entry.number}")
        if line is not None:
            raise Unsupported(f"line {line} keeps the record of line {entry.number} by its uuid")

    # What follows from it

    def settle(self) -> None:
        """Children of what goes hang on its nearest ancestor that stays."""
        for n, owner in sorted(self.removed.items()):
            entry = self.found.entries[n]
            gone = entry.uuid
            if gone is None or self._holders[gone] - self.removed.keys():
                continue
            heir = self.heir(entry)
            for kid in self.kids(entry):
                self.hang(owner, kid, heir)
            self.repoint(owner, gone, heir)

    def heir(self, entry: Entry) -> str | None:
        for above in self.above(entry):
            if above.n not in self.removed:
                return above.uuid
        last = list(self.above(entry))[-1]
        return self.parent(last)  # a root, or a parent that no record has

    def repoint(self, owner: int, gone: str, heir: str | None) -> None:
        if not self.found.hints:
            return
        n, leaf = self.found.hints[-1]
        if leaf == gone and n < len(self.found.entries) and n not in self.removed:
            self.set_value(owner, self.found.entries[n], ("leafUuid",), heir)


def _named(found: Transcript) -> _Named:
    """Uuids that a compaction or a context collapse relies on."""
    kept: dict[str, int] = {}
    for boundary in found.boundaries:
        meta = boundary.meta
        messages, segment = meta.preserved_messages, meta.preserved_segment
        uuids = [*((messages and messages.uuids) or ())]
        if segment is not None:
            uuids += [uuid for uuid in (segment.head_uuid, segment.tail_uuid) if uuid]
        kept |= dict.fromkeys(uuids, found.entries[boundary.n].number)
    collapsed = b"".join(
        bytes(found.data[entry.offset : entry.offset + entry.length])
        for entry in found.entries
        if entry.type.startswith("marble-origami-")
    )
    return _Named(kept, collapsed)


def json_value(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
