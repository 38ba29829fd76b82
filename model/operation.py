"""What a repair can do, in words that no format owns.

A rule's fix returns operations; each store turns them into edits or says why it cannot.
`session` is the key of the session table, `n` the dense number of a record in it, both as of the
round in which the finding was made.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from suture.model.place import Place


class Safety(IntEnum):
    SAFE = 1  # no byte leaves, nothing is inferred
    LOSSY = 2  # bytes leave the store (kept in the journal), or a link is inferred
    MANUAL = 3  # several right answers: shown, enters a plan by --take

    @property
    def label(self) -> str:
        return self.name.lower()


class Policy(StrEnum):
    """What becomes of a tail that was cut off in mid-work."""

    ANSWER = "answer"
    DROP = "drop"
    TRUNCATE = "truncate"


class Outcome(StrEnum):
    """The three things an unanswered call can be."""

    RECORDED = "recorded"  # the log proves the outcome elsewhere
    NEVER_STARTED = "never_started"  # arguments were streaming, or approval was pending or denied
    UNKNOWN = "unknown"  # dispatched: the side effect may have happened


@dataclass(frozen=True, slots=True)
class Answer:
    """Pair a call with a marked result that says what is not known."""

    session: int
    n: int
    part: int
    call_id: str
    outcome: Outcome
    words: str | None = None  # the user's, in place of the usual ones


@dataclass(frozen=True, slots=True)
class Restore:
    """Pair a call with the outcome that another record or file proves."""

    session: int
    n: int
    part: int
    call_id: str
    evidence: str  # "record N" or a path below the session's folder


@dataclass(frozen=True, slots=True)
class Drop:
    """Take a whole record out; its children hang off its parent."""

    session: int
    n: int


@dataclass(frozen=True, slots=True)
class DropPart:
    """Take one content block out of a record."""

    session: int
    n: int
    part: int


@dataclass(frozen=True, slots=True)
class Note:
    """Leave one marked note after record `n` that names what was taken out."""

    session: int
    n: int
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truncate:
    """Take out every record after `n` (-1: all)."""

    session: int
    n: int


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Take bytes or a row that cannot be read out of the store; the journal keeps them."""

    place: Place


@dataclass(frozen=True, slots=True)
class Cut:
    """Take bytes out of a line or off the end of a file."""

    place: Place


@dataclass(frozen=True, slots=True)
class Split:
    """Put a line end between records that share a line, at these byte offsets of the file."""

    place: Place
    at: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Replace:
    place: Place
    after: bytes


@dataclass(frozen=True, slots=True)
class Reparent:
    session: int
    n: int
    to: int | None  # None: a root


@dataclass(frozen=True, slots=True)
class Rekey:
    """Give a record a fresh id; `followers` are the records whose parent link goes with it."""

    session: int
    n: int
    followers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RekeyCall:
    """Give a call, and the result that answers it, a fresh id."""

    session: int
    n: int
    part: int
    call_id: str
    result_n: int | None = None
    result_part: int | None = None


@dataclass(frozen=True, slots=True)
class Renumber:
    """Number records again from `n` on, starting with ordinal `first`."""

    session: int
    n: int
    first: int


@dataclass(frozen=True, slots=True)
class Blank:
    """Overwrite a record with spaces of the same length: no offset moves."""

    session: int
    n: int


@dataclass(frozen=True, slots=True)
class Move:
    """Put record `n` right after record `after`."""

    session: int
    n: int
    after: int


@dataclass(frozen=True, slots=True)
class SetState:
    session: int
    entity: str  # "turn ID", "row KEY", "interruption 3"
    value: str


@dataclass(frozen=True, slots=True)
class SetCounter:
    session: int
    name: str
    value: int


@dataclass(frozen=True, slots=True)
class NewWindow:
    """Write the context window anew under the next version."""

    session: int


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Make a projection or a lost header again from the log."""

    session: int
    what: str  # "header", "window", "projection", "index", "plain file"


Operation = (
    Answer
    | Restore
    | Drop
    | DropPart
    | Note
    | Truncate
    | Quarantine
    | Cut
    | Split
    | Replace
    | Reparent
    | Rekey
    | RekeyCall
    | Renumber
    | Blank
    | Move
    | SetState
    | SetCounter
    | NewWindow
    | Rebuild
)


@dataclass(frozen=True, slots=True)
class Repair:
    """What a rule proposes for one finding."""

    title: str  # an imperative
    operations: tuple[Operation, ...]
    safety: Safety
