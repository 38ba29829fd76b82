"""A log as sessions: each event as a record, and what the events together say."""

from pathlib import PurePath

from msgspec import UNSET, Struct

from suture.model.rows import DamageRow, PartRow, ResultRow, StateRow
from suture.stores._jsonl import Piece
from suture.stores.eventlog.calls import Calls, proposed, result_row
from suture.stores.eventlog.clock import microseconds
from suture.stores.eventlog.copies import Copies
from suture.stores.eventlog.hashing import NoCanonicalForm, chain_hash, payload_hash
from suture.stores.eventlog.lines import Event
from suture.stores.eventlog.parts import parts
from suture.stores.eventlog.payloads import (
    ArtifactStored,
    ContextCompacted,
    InputConsumed,
    InputQueued,
    MessageAppended,
    PlanVersioned,
    SessionClosed,
    SessionConfigured,
    SessionCreated,
    SessionInterrupted,
    StepCompleted,
    StepStarted,
    ToolApproved,
    ToolDenied,
    ToolFinished,
    ToolProposed,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from suture.stores.eventlog.periods import Periods

KINDS = {
    "session.created": "header",
    "session.configured": "state",
    "session.interrupted": "state",  # a crash; nobody aborted anything
    "turn.started": "turn_start",
    "turn.ended": "turn_end",
    "input.queued": "state",
    "input.consumed": "state",
    "tool.proposed": "call",
    "tool.approved": "state",
    "tool.started": "state",
    "tool.denied": "result",
    "tool.finished": "result",
    "context.compacted": "boundary",
    "plan.versioned": "state",
    "session.forked": "event",
    "session.closed": "event",
    "step.started": "event",
    "step.completed": "event",
    "artifact.stored": "event",
}
ADDED = "added by a repair"  # rules look for these words
_OnCall = ToolProposed | ToolApproved | ToolDenied | ToolStarted | ToolFinished
_ROLES = {"user": "prompt", "assistant": "reply"}
TALK = frozenset({"prompt", "reply", "call", "result", "injected"})


class Record(Struct, gc=False):
    n: int
    kind: str
    type: str
    line: int
    offset: int
    length: int
    id: str | None = None
    ordinal: int | None = None
    time: int | None = None
    ts: str | None = None
    group: str | None = None
    turn: str | None = None
    recovered: bool = False
    hash: str | None = None
    computed: str | None = None
    chain: str | None = None
    chain_computed: str | None = None
    prev: str | None = None
    copy: tuple[str, int] | None = None
    names_session: str | None = None
    status: str | None = None
    problem: str | None = None
    detail: str | None = None
    call_id: str | None = None
    repeated: str | None = None  # a key that stands twice in the payload


class Session:
    """One session of a file; a file holds one as a rule."""

    def __init__(self, key: int, path: str, full: bool) -> None:
        self.key, self.path, self.full = key, path, full
        self.header: SessionCreated | None = None
        self.model: str | None = None
        self.cwd: str | None = None
        self.versions: dict[str, None] = {}
        self.closed = False
        self.generation = 0
        self.records: list[Record] = []
        self.damage: list[DamageRow] = []
        self.parts: list[PartRow] = []
        self.results: list[ResultRow] = []
        self.calls = Calls()
        self.periods = Periods()
        self.compactions: list[tuple[int, ContextCompacted]] = []
        self.artifacts: list[tuple[int, ArtifactStored]] = []
        self.queued: dict[str, StateRow] = {}
        self.state: list[StateRow] = []
        self._copies = Copies()

    @property
    def id(self) -> str:
        named = self.header.session_id if self.header else None
        return named or PurePath(self.path).stem

    @property
    def newest(self) -> tuple[int, ContextCompacted] | None:
        """The compaction whose window is current, and its n."""
        return max(self.compactions, key=lambda c: (c[1].version or 0, c[0]), default=None)

    def add(self, piece: Piece, event: Event | None) -> int:
        n = len(self.records)
        if event is None:  # a line that is an object, and too large or deep to look into
            self.records.append(
                Record(n, "unknown", "unknown", piece.line, piece.offset, piece.length)
            )
            return n
        record = Record(
            n,
            _kind(event),
            event.type or "unknown",
            piece.line,
            piece.offset,
            piece.length,
            event.id,
            event.ordinal,
            microseconds(event.ts),
            event.ts,
            recovered=piece.recovered,
            hash=event.hash,
            chain=event.chain,
            prev=event.prev,
        )
        self.records.append(record)
        if event.payload is not None and event.payload.suture is not UNSET:
            record.detail = ADDED
        _hash(record, event)
        record.copy = self._copies.of(n, event, hash(bytes(piece.raw)), record.computed)
        self._follow(record, event)
        return n

    def _follow(self, record: Record, event: Event) -> None:
        periods = self.periods
        _by_type(self, record, event)
        periods.reach(record.n)
        record.turn = record.turn or periods.turn_id
        if record.problem is None and event.payload and event.payload.suture is not UNSET:
            record.detail = "added by a repair"
        if record.kind in ("reply", "call"):
            record.group = record.group or periods.step_id
        if record.call_id is not None or self.full:
            self.parts += parts(self.key, record.n, record.kind, event, record.call_id, self.full)


def _kind(event: Event) -> str:
    if isinstance(event.payload, MessageAppended):
        return _ROLES.get(event.payload.role, "injected")
    if event.type == "message.appended":  # whoever spoke: the payload cannot be read
        return "injected"
    return KINDS.get(event.type or "", "unknown")


def _hash(record: Record, event: Event) -> None:
    if event.raw is not None:
        try:
            record.computed = payload_hash(event.raw)
        except NoCanonicalForm as error:
            record.problem, record.detail = "unhashable", str(error)
            record.repeated = error.key
    if record.recovered and record.hash is not None and record.computed != record.hash:
        record.computed = None
        record.problem, record.detail = "unhashable", "the bytes of the line are damaged"
    known = (event.id, event.ordinal, event.ts, event.type, event.hash)
    if event.chain is not None and None not in known:
        record.chain_computed = chain_hash(event.prev, *known)  # type: ignore[arg-type]  # no None


def _by_type(session: Session, record: Record, event: Event) -> None:  # noqa: PLR0912  # one case a type
    n, payload, periods = record.n, event.payload, session.periods
    match payload:
        case StepStarted() | StepCompleted() if record.copy and record.copy[0] != "same_id":
            pass  # told as a copy
        case SessionCreated():
            session.header = session.header or payload
            record.names_session = payload.session_id
        case SessionConfigured():
            session.model = payload.model or session.model
            session.cwd = payload.cwd or session.cwd
            if payload.version:
                session.versions[payload.version] = None
        case SessionInterrupted():
            session.generation = max(session.generation, payload.generation or 0)
            periods.interrupt(payload)
        case SessionClosed():
            session.closed = True
        case TurnStarted():
            periods.start_turn(n, record.time, payload)
        case TurnEnded():
            record.turn, record.status = payload.turn_id, payload.status
            periods.end_turn(n, record.time, payload)
        case StepStarted():
            periods.start_step(n, payload, session.model)
        case StepCompleted():
            record.status = payload.finish_reason
            periods.end_step(n, payload)
        case MessageAppended():
            record.status = payload.status
        case ContextCompacted():
            session.compactions.append((n, payload))
        case ArtifactStored():
            session.artifacts.append((n, payload))
            session.calls.prove(n, payload)
        case InputQueued() if payload.input_id:
            session.queued[payload.input_id] = StateRow(session.key, n, "queue", payload.input_id)
        case InputConsumed():
            session.queued.pop(payload.input_id, None)
        case PlanVersioned() if payload.version is not None:
            session.state.append(StateRow(session.key, n, "plan", str(payload.version)))
        case _:
            _call(session, record, event)


def _call(session: Session, record: Record, event: Event) -> None:
    n, payload, calls = record.n, event.payload, session.calls
    if not isinstance(payload, _OnCall) or not payload.call_id:
        return
    record.call_id = payload.call_id
    call = calls.by_id.get(payload.call_id)
    match payload:
        case ToolProposed():
            calls.add(proposed(n, payload, session.periods.step_id))
            record.group = payload.step_id
        case ToolFinished():
            record.status = payload.status
            session.results.append(result_row(session.key, n, payload))
            if call and call.finished is None:
                call.finished, call.status = n, payload.status
        case _ if call is None:
            pass
        case ToolApproved():
            call.approved = True
        case ToolDenied():
            call.denied = n if call.denied is None else call.denied
        case ToolStarted():
            call.started = n if call.started is None else call.started
