"""What reading a transcript yields: its records without their text, and the facts beside them."""

from collections import Counter
from copy import copy
from functools import cached_property, partial
from typing import Any

from msgspec import Struct, field

from suture.model.rows import DamageRow, OddPartRow, PartRow
from suture.stores._entries import Entries
from suture.stores._packed import Packed
from suture.stores.claude_code.holders import Holders
from suture.stores.claude_code.lines import CompactMetadata
from suture.stores.claude_code.records import CHAINED, RENDERED, Records
from suture.stores.claude_code.steps import Steps


class Entry(Struct, gc=False):
    """A record, without its text, as an edit looks at it."""

    n: int
    number: int  # of its first line in the file
    offset: int
    length: int
    kind: str
    type: str
    uuid: str | None
    parent: str | None
    group: str | None
    lane: str
    time: int | None
    chained: bool
    rendered: bool
    on_chain: bool
    sent: bool
    copy_of: int | None = None
    session: str | None = None
    source: str | None = None  # of one that is added: the line that issued the call it answers


class Call(Struct, gc=False):
    n: int
    part: int
    call_id: str
    lane: str
    name: str | None
    side_effect: str
    batch: str | None
    server: bool
    malformed: str | None


class Result(Struct, gc=False):
    n: int
    part: int
    call_id: str
    lane: str
    status: str
    placeholder: bool
    marked: bool
    server: bool
    bytes: int | None


class Boundary(Struct):
    """A compaction."""

    n: int
    uuid: str | None
    logical: str | None  # the record that it cut off
    meta: CompactMetadata
    talk_before: int


class Image(Struct, gc=False):
    n: int
    path: tuple[int, ...]  # of its block in the content, and of that inside a result
    call_id: str | None
    bytes: int  # of its base64 text
    side: int | None  # the longest, in pixels
    problem: str | None


class Transcript(Struct, dict=True):
    session: int
    path: str
    data: memoryview
    records: Records = field(default_factory=Records)
    damage: list[DamageRow] = field(default_factory=list)
    calls: Packed[Call] = field(default_factory=lambda: Packed(Call))
    results: Packed[Result] = field(default_factory=lambda: Packed(Result))
    digests: dict[tuple[int, int], str] = field(default_factory=dict)  # of results to compare
    proofs: dict[str, tuple[str, str]] = field(default_factory=dict)  # call → evidence, reason
    parts: list[PartRow] = field(default_factory=list)
    odd: list[OddPartRow] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    spills: list[tuple[int, str]] = field(default_factory=list)  # n, path of a spilled output
    boundaries: list[Boundary] = field(default_factory=list)
    summaries: list[tuple[int, str | None]] = field(default_factory=list)  # n, parent
    hints: list[tuple[int, str]] = field(default_factory=list)  # last-prompt: n, leaf
    states: list[tuple[int, str, str, str | None]] = field(default_factory=list)
    naming: list[tuple[int, str]] = field(default_factory=list)  # n, type: may name other files
    steps: Steps = field(default_factory=Steps)
    sessions: Counter[str | None] = field(default_factory=Counter)
    versions: dict[str | None, None] = field(default_factory=dict)
    cwd: str | None = None
    agent: str | None = None
    unnamed: list[int] = field(default_factory=list)  # would be links, but have no uuid
    doubtful: frozenset[int] = frozenset()  # of the records at hand: a NUL may be in them

    def kept(self) -> "Transcript":
        """For edits, once the chain is marked: tables take the records out of this one."""
        kept = copy(self)
        kept.records = self.records.kept()
        return kept

    @property
    def by_id(self) -> Holders:
        return self.records.by_id

    @cached_property
    def entries(self) -> Entries[Entry]:
        """For edits, once the chain is marked."""
        return Entries(self.records, _FIELDS, partial(_entry, self.records))


_FIELDS = ("line", "offset", "length", "kind", "type", "id", "parent", "group", "session", "time")


def _entry(records: Records, n: int, row: tuple[Any, ...]) -> Entry:
    line, offset, length, kind, full_type, uuid, parent, group, session, time = row
    mark, copy = records.marks[n], records.copies.get(n)
    return Entry(
        n=n,
        number=line,
        offset=offset,
        length=length,
        kind=kind,
        type=full_type,
        uuid=uuid,
        parent=parent,
        group=group,
        lane=records.lane(n),
        time=time,
        chained=mark & CHAINED > 0,
        rendered=mark & RENDERED > 0,
        on_chain=records.on_chain[n] > 0,
        sent=records.sent[n] > 0,
        copy_of=None if copy is None else copy[0],
        session=session,
    )
