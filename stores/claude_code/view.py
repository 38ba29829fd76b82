"""What reading a transcript yields: its records without their text, and the facts beside them."""

from collections import Counter
from dataclasses import dataclass, field

from msgspec import Struct

from suture.model.rows import CallRow, DamageRow, OddPartRow, PartRow, ResultRow, StepRow, TurnRow
from suture.stores.claude_code.lines import CompactMetadata


class Entry(Struct, gc=False):
    """A record, without its text."""

    n: int
    number: int  # of its first line in the file
    offset: int
    length: int
    recovered: bool
    kind: str
    type: str
    uuid: str | None
    parent: str | None
    logical: str | None
    group: str | None
    lane: str
    time: int | None
    chained: bool
    rendered: bool
    status: str | None
    session: str | None
    source: str | None  # the line that issued the call which this one answers
    copy_of: int | None = None
    copy_kind: str | None = None
    same_id: int | None = None
    on_chain: bool = False
    sent: bool = False


class Image(Struct, gc=False):
    n: int
    path: tuple[int, ...]  # of its block in the content, and of that inside a result
    call_id: str | None
    bytes: int  # of its base64 text
    side: int | None  # the longest, in pixels
    problem: str | None


@dataclass(slots=True)
class Transcript:
    session: int
    path: str
    data: memoryview
    entries: list[Entry] = field(default_factory=list)
    damage: list[DamageRow] = field(default_factory=list)
    by_id: dict[str, int] = field(default_factory=dict)  # of what can be a link of the chain
    calls: list[CallRow] = field(default_factory=list)
    results: list[ResultRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    odd: list[OddPartRow] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    spills: list[tuple[int, str]] = field(default_factory=list)  # n, path of a spilled output
    boundaries: list[tuple[int, CompactMetadata]] = field(default_factory=list)
    hints: list[tuple[int, str]] = field(default_factory=list)  # last-prompt: n, leaf
    states: list[tuple[int, str, str, str | None]] = field(default_factory=list)
    turns: list[TurnRow] = field(default_factory=list)
    steps: list[StepRow] = field(default_factory=list)
    model: str | None = None
    sessions: Counter[str | None] = field(default_factory=Counter)
    versions: dict[str | None, None] = field(default_factory=dict)
    created: int | None = None
    cwd: str | None = None
    agent: str | None = None
    doubtful: frozenset[int] = frozenset()  # of the records at hand: a NUL may be in them
