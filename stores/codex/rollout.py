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

    @property
    def paginated(self) -> bool:
        return self.header.paginated or self.history.numbered_from is not None

    def raw(self, record: Record) -> bytes:
        return self.line(record.n)

    def line(self, n: int) -> bytes:
        return bytes(self.data[self.records.span(n)])
