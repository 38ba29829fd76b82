"""What is known of one rollout file while it is read and after."""

from collections.abc import Callable
from copy import copy

from suture.model.rows import DamageRow
from suture.stores._packed import Packed
from suture.stores.codex.calls import Call, Result
from suture.stores.codex.evidence import Evidence
from suture.stores.codex.history import History
from suture.stores.codex.lines import Line, Payload
from suture.stores.codex.odd import Look
from suture.stores.codex.records import Compaction, Header, Record, Records
from suture.stores.codex.turns import Steps, Turns

_COUNTED = 1 << 64  # ordinals of Codex are below it
_BOM = b"\xef\xbb\xbf"  # has a rule of its own

Handle = Callable[["Rollout", int, str, Line, Payload], None]  # n and kind of the record


class Rollout:
    """Complete after `read_rollout`."""

    def __init__(self, path: str, data: memoryview) -> None:
        self.path = path
        self.data = data
        self.header = Header()
        self.records = Records()
        self.damage: list[DamageRow] = []
        self.calls = Packed(Call)
        self.results = Packed(Result)
        self.digests: dict[tuple[int, int], str] = {}  # n and part of results that are compared
        self.turns = Turns()
        self.steps = Steps()
        self.compactions: list[Compaction] = []
        self.evidence: dict[str, Evidence] = {}
        self.history = History()
        self.model: str | None = None
        self.cwd: str | None = None  # of the last turn
        self.odd = Look(data, self.records)
        self.snapshot: tuple[int, list[Payload]] | None = None  # the last one, and its record
        self.strange: set[int] = set()  # records in which a key may stand twice
        self.group: str | None = None  # of the response that is being read
        self.group_start = 0
        self.called: int | None = None  # a call that only what the model says followed

    def kept(self) -> "Rollout":
        """For edits: tables take the records out of this one."""
        kept = copy(self)
        kept.records, kept.damage = self.records.kept(), [*self.damage]
        return kept

    def skips(self, n: int, line: Line) -> bool:
        """Whether a client leaves a line out for its ordinal or its time."""
        ordinal = line.ordinal
        if ordinal is not None and not 0 <= ordinal < _COUNTED:
            return True
        return line.timestamp is None or self.records.is_skipped(n)

    @property
    def hides_header(self) -> str | None:
        """Why no client reads the header, which must be the first that is not blank."""
        n = self.header.n
        if n is None:
            return None
        marked = bytes(self.data[: len(_BOM)]) == _BOM
        if n in self.records.recovered and not marked:
            return "its line is damaged"
        _, offset, _ = self.records.place(n)
        before = bytes(self.data[len(_BOM) if marked else 0 : offset])
        return "something else stands before it" if before.strip() else None

    @property
    def paginated(self) -> bool:
        """As the header says. A client asks nothing else: numbers in a legacy file say nothing."""
        if self.header.tells_mode:
            return self.header.paginated
        return self.header.paginated or self.history.numbered_from is not None

    def raw(self, record: Record) -> bytes:
        return self.line(record.n)

    def line(self, n: int) -> bytes:
        return bytes(self.data[self.records.span(n)])
