"""The state that a resume would find, as `suture inspect` tells it."""

from msgspec import Struct


class SessionLine(Struct, frozen=True):
    """One session in a list."""

    id: str
    store: str
    kind: str
    path: str
    version: str | None
    created: int | None  # UTC microseconds
    ended: int | None
    records: int
    turns: int
    calls: int
    open_calls: int
    tail: str


class TurnLine(Struct, frozen=True):
    turn: int
    id: str | None
    status: str
    started: int | None
    ended: int | None


class CallLine(Struct, frozen=True):
    """A call without a result, and what is known of it."""

    call_id: str
    name: str | None
    outcome: str  # recorded | never_started | unknown
    reason: str | None
    side_effect: str
    evidence: str | None
    place: str


class CompactionLine(Struct, frozen=True):
    number: int
    version: int | None
    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None
    has_summary: bool


class RecordPoint(Struct, frozen=True):
    """One record, named so that a person finds it."""

    id: str | None
    kind: str
    place: str
    time: int | None


class SessionView(Struct, frozen=True):
    line: SessionLine
    cwd: str | None
    model: str | None
    client: str | None
    status: str | None
    parent: str | None
    fork_of: str | None
    fork_ordinal: int | None
    subagents: tuple[str, ...]
    turns: tuple[TurnLine, ...]
    calls_answered: int
    open_calls: tuple[CallLine, ...]
    last_complete: RecordPoint | None
    leaf: RecordPoint | None
    next_ordinal: int | None
    context_version: int | None
    interruption: str | None  # unhandled | historical
    generation: int | None
    compactions: tuple[CompactionLine, ...]
    queued: tuple[str, ...]  # typed-ahead input that nothing consumed: where it stands
