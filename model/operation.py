"""What a repair can do, in words that no format owns.

A rule's fix returns operations; each store turns them into edits or says why it cannot.
`session` is the key of the session table, `n` the dense number of a record in it, both as of the
round in which the finding was made.
"""

from enum import IntEnum, StrEnum

from msgspec import Struct

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


class Answer(Struct, frozen=True):
    """Pair a call with a marked result that says what is not known."""

    session: int
    n: int
    part: int
    call_id: str
    outcome: Outcome
    words: str | None = None  # the user's, in place of the usual ones


class Restore(Struct, frozen=True):
    """Pair a call with the outcome that another record or file proves."""

    session: int
    n: int
    part: int
    call_id: str
    evidence: str  # "record N" or a path below the session's folder


class Drop(Struct, frozen=True):
    """Take a whole record out; its children hang off its parent."""

    session: int
    n: int


class DropPart(Struct, frozen=True):
    """Take one content block out of a record."""

    session: int
    n: int
    part: int


class ResultsFirst(Struct, frozen=True):
    """Put the results in a record before its other blocks."""

    session: int
    n: int


class Note(Struct, frozen=True):
    """Leave one marked note after record `n` that names what was taken out."""

    session: int
    n: int
    tools: tuple[str, ...]


class Truncate(Struct, frozen=True):
    """Take out every record after `n` (-1: all)."""

    session: int
    n: int


class Quarantine(Struct, frozen=True):
    """Take bytes or a row that cannot be read out of the store; the journal keeps them."""

    place: Place


class Cut(Struct, frozen=True):
    """Take bytes out of a line or off the end of a file."""

    place: Place


class Split(Struct, frozen=True):
    """Put a line end between records that share a line, at these byte offsets of the file."""

    place: Place
    at: tuple[int, ...]


class Replace(Struct, frozen=True):
    place: Place
    after: bytes


class Reparent(Struct, frozen=True):
    session: int
    n: int
    to: int | None  # None: a root


class Rekey(Struct, frozen=True):
    """Give a record a fresh id; `followers` are the records whose parent link goes with it."""

    session: int
    n: int
    followers: tuple[int, ...] = ()


class RekeyCall(Struct, frozen=True):
    """Give a call, and the result that answers it, a fresh id."""

    session: int
    n: int
    part: int
    call_id: str
    result_n: int | None = None
    result_part: int | None = None


class Renumber(Struct, frozen=True):
    """Number records again from `n` on, starting with ordinal `first`."""

    session: int
    n: int
    first: int


class Blank(Struct, frozen=True):
    """Overwrite a record with spaces of the same length: no offset moves."""

    session: int
    n: int


class Move(Struct, frozen=True):
    """Put record `n` right after record `after`."""

    session: int
    n: int
    after: int


class SetState(Struct, frozen=True):
    session: int
    entity: str  # "turn ID", "row KEY", "interruption 3"
    value: str


class SetCounter(Struct, frozen=True):
    session: int
    name: str
    value: int


class NewWindow(Struct, frozen=True):
    """Write the context window anew under the next version."""

    session: int


class Rebuild(Struct, frozen=True):
    """Make a projection or a lost header again from the log."""

    session: int
    what: str  # "header", "window", "projection", "index", "plain file"


Operation = (
    Answer
    | Restore
    | Drop
    | DropPart
    | ResultsFirst
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


class Repair(Struct, frozen=True):
    """What a rule proposes for one finding."""

    title: str  # an imperative
    operations: tuple[Operation, ...]
    safety: Safety
