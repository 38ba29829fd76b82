"""A repair plan: a value that can be printed, reviewed, stored and applied later."""

from msgspec import Struct

from suture.model.edit import Edit
from suture.model.finding import Finding
from suture.model.operation import Policy, Safety


class SourceState(Struct, frozen=True):
    """A file before and after. `sha256` None means absent. A repaired `.zst` is written plain,
    under `after_path`; for SQLite the digest covers the main file and its `-wal`."""

    path: str
    size: int
    sha256: str | None
    after_path: str
    after_size: int | None  # None: decided by the database, compared row by row
    after_sha256: str | None
    server: str | None = None  # which database at which server, for one that lies on a server


class Step(Struct, frozen=True):
    round: int
    title: str
    operations: tuple[str, ...]  # names of the operations
    safety: Safety
    cache_class: str  # append | envelope | cut | payload
    findings: tuple[Finding, ...]
    edits: tuple[Edit, ...]  # against the original bytes and rows


class Skip(Struct, frozen=True):
    finding: Finding
    reason: str
    number: int | None = None  # enters the plan by --take NUMBER
    title: str | None = None  # what --take would do


class Prefix(Struct, frozen=True):
    """The first thing that changes: what a provider's cache keeps and what is billed again."""

    path: str
    offset: int | None  # None for rows
    line: int | None
    record: str | None  # native id or ordinal
    tokens_after: int | None  # recorded input tokens of later requests; None if none recorded


class Fork(Struct, frozen=True):
    """The repaired session as a new one; the old one stays as it is."""

    session: str  # its id
    paths: tuple[str, ...]  # main file first
    why: str


class Outlook(Struct, frozen=True):
    """What a resume finds in a session, as far as it is known."""

    resumes: str  # yes | no | unknown
    legal: bool | None  # would a provider accept the history as it is sent
    loses: tuple[str, ...]
    messages: int  # of the history: whole, on the live chain, not hidden by a compaction
    open_calls: int


class SessionPlan(Struct, frozen=True):
    """What a repair means for one session."""

    session: str
    client: str
    version: str | None
    before: Outlook
    after: Outlook
    gains: tuple[str, ...]  # what the model gets that it would not have got


class UnitPlan(Struct, frozen=True):
    unit: str
    store: str
    paths: tuple[str, ...]
    session: str | None
    sources: tuple[SourceState, ...]  # log first, projections last: the order of renames
    steps: tuple[Step, ...]
    skipped: tuple[Skip, ...]
    remaining: tuple[str, ...]  # fingerprints that a second check will find
    prefix: tuple[Prefix, ...]
    mapping: str | None = None  # the text by which its tables are read
    sessions: tuple[SessionPlan, ...] = ()
    fork: Fork | None = None
    refused: str | None = None  # what a provider would not take in the repaired session, and why


class Plan(Struct, frozen=True):
    suture: str
    policy: Policy
    assume: str | None
    units: tuple[UnitPlan, ...]
    refused: tuple[tuple[str, str], ...]  # unit and reason: live writer, unreadable
    answer_text: str | None = None  # the user's words in added results
