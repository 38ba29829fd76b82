"""The state of the walk over the records of one rollout file."""

from collections.abc import Callable, Sequence

from suture.model.rows import DamageRow
from suture.stores._jsonl import Piece
from suture.stores.codex import vocabulary
from suture.stores.codex.calls import (
    Call,
    Result,
    digest,
    read_call,
    read_result,
    refused_id,
    status,
)
from suture.stores.codex.clock import micros
from suture.stores.codex.evidence import Evidence
from suture.stores.codex.history import History
from suture.stores.codex.lines import Line, Payload
from suture.stores.codex.messages import message_kind
from suture.stores.codex.odd import Look
from suture.stores.codex.records import Compaction, Header, Record
from suture.stores.codex.turns import Steps, Turns

_MODEL_OUTPUT = frozenset({"reply", "reasoning", "call"})
_ENDS_RESPONSE = frozenset({"result", "prompt", "injected", "turn_start", "boundary", "header"})
_TOOL_ITEMS = frozenset(
    {"CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall"}
)


Handle = Callable[["Rollout", Record, Payload], None]
Meaning = tuple[str, str, Handle | None]


class Rollout:
    """State of the walk over one file; complete after `read_rollout`."""

    def __init__(self, path: str, data: memoryview) -> None:
        self.path = path
        self.data = data
        self.header = Header()
        self.records: list[Record] = []
        self.damage: list[DamageRow] = []
        self.calls: list[Call] = []
        self.results: list[Result] = []
        self.turns = Turns()
        self.steps = Steps()
        self.compactions: list[Compaction] = []
        self.evidence: dict[str, Evidence] = {}
        self.history = History(paginated=False)
        self.model: str | None = None
        self.cwd: str | None = None  # of the last turn
        self.numbered = False
        self.odd = Look(data)
        self.snapshot: tuple[Record, list[Payload]] | None = None  # the last one
        self.noted = False  # some record is a copy or has a problem
        self._line: bytes | memoryview = b""
        self._group: str | None = None
        self._group_start = 0
        self._turn_ids: dict[str, str] = {}  # one string object a turn
        self._meanings: dict[tuple[str | None, str | None], Meaning] = {}

    @property
    def paginated(self) -> bool:
        return self.header.paginated or self.numbered

    def add(self, piece: Piece, line: Line, wrong: Sequence[str] = ()) -> Record:
        payload = line.payload or _NONE
        known = self._meanings.get((line.type, payload.type))
        full_type, kind, handle = known if known is not None else self._meaning(line, payload)
        if kind == "prompt":
            kind = message_kind(payload)
        n = len(self.records)
        group = None
        if kind in _MODEL_OUTPUT:
            if self._group is None:
                self._group, self._group_start = f"r{n}", n
            group = self._group
        elif kind in _ENDS_RESPONSE:
            self._group = None
        turn = payload.turn_id
        through = payload.internal_chat_message_metadata_passthrough
        if turn is None and through is not None:
            turn = through.turn_id
        turn = self._turn_ids.setdefault(turn, turn) if turn is not None else self.turns.open_id
        ordinal = line.ordinal
        if ordinal is not None and not self.numbered:
            self.numbered = self.history.paginated = True
        record = Record(
            n,
            kind,
            full_type,
            piece.line,
            piece.offset,
            piece.length,
            payload.id,
            ordinal,
            micros(line.timestamp),
            group,
            turn,
            piece.recovered,
        )
        self.records.append(record)
        if wrong and kind != "unknown":
            self._note(record, "shape", "; ".join(wrong[:3]))
        if handle is not None:
            self._line = piece.raw
            handle(self, record, payload)
        return record

    def _meaning(self, line: Line, payload: Payload) -> Meaning:
        full_type, kind = vocabulary.meaning(line.type, payload.type)
        handle = _HANDLERS.get(line.type or "") or _HANDLERS.get(full_type)
        meaning = (full_type, kind, handle)
        self._meanings[line.type, payload.type] = meaning
        return meaning

    def _note(self, record: Record, problem: str, detail: str) -> None:
        self.noted = True
        if record.problem is None:
            record.problem, record.detail = problem, detail

    def _refuse_id(self, record: Record, payload: Payload) -> None:
        bad = refused_id(payload)
        if bad is not None:
            self._note(record, "item_id", bad)

    def raw(self, record: Record) -> bytes:
        return bytes(self.data[record.offset : record.offset + record.length])

    def item(self, record: Record, payload: Payload) -> None:
        kind = record.kind
        if payload.id is not None:
            self._refuse_id(record, payload)
        if kind == "call":
            call = read_call(record.n, 0, "main", record.n, payload, record.group)
            if call is not None:
                self.calls.append(call)
                record.status = call.status
        elif kind == "result":
            result = read_result(record.n, 0, "main", record.n, payload)
            if result is not None:
                self.results.append(result)
                if record.recovered or record.problem == "shape":
                    result.digest = digest(payload)
        if kind not in ("unknown", "state"):
            self.history.item(record.n, kind)
            self.odd.item(record, payload, self._line)

    def turn_start(self, record: Record, payload: Payload) -> None:
        self.turns.start(record.n, record.time, payload.turn_id)

    def turn_end(self, record: Record, payload: Payload) -> None:
        failed = payload.error and bytes(payload.error) != b"null"
        outcome = "failed" if failed else "complete"
        self.turns.end(record.n, record.time, payload.turn_id, outcome)

    def turn_aborted(self, record: Record, payload: Payload) -> None:
        self.turns.end(record.n, record.time, payload.turn_id, "aborted")

    def token_count(self, record: Record, payload: Payload) -> None:
        self.steps.count(record.n, self._group_start, payload, self.turns.number, self.model)
        self._group = None

    def rolled_back(self, record: Record, payload: Payload) -> None:
        self.history.rolled_back(payload.num_turns or 0)

    def item_completed(self, record: Record, payload: Payload) -> None:
        item = payload.item
        if item is not None and item.id and item.type in _TOOL_ITEMS:
            self.evidence[item.id] = Evidence(record.n, item.status or "completed")

    def tool_end(self, record: Record, payload: Payload) -> None:
        if payload.call_id:
            ended = status(payload.status) or "completed"
            self.evidence[payload.call_id] = Evidence(record.n, ended)

    def session_meta(self, record: Record, payload: Payload) -> None:
        if self.header.n is None:
            self.header.n, self.header.payload = record.n, payload
            self.odd.provider = payload.model_provider
            self.history.paginated |= self.header.paginated
        if payload.cli_version:
            self.header.versions[payload.cli_version] = None
        self.history.header()

    def turn_context(self, record: Record, payload: Payload) -> None:
        self.model = payload.model or self.model
        self.cwd = payload.cwd or self.cwd

    def token_usage(self, record: Record, payload: Payload) -> None:
        self.steps.record(record.n, self._group_start, payload, self.turns.number, self.model)
        self._group = None

    def agent_message(self, record: Record, payload: Payload) -> None:
        self.history.item(record.n, record.kind)

    def compacted(self, record: Record, payload: Payload) -> None:
        items = payload.replacement_history
        opaque = False
        last = self.steps.all[-1].usage if self.steps.all else None
        talk = self.history.talk
        lane = f"snapshot:{record.n}"
        for part, item in enumerate(items or ()):
            kind = vocabulary.ITEMS.get(item.type or "")
            opaque |= kind == "summary"
            bad = refused_id(item)
            if bad is not None:
                self._note(record, "item_id", f"item {part}: {bad}")
            if kind == "call":
                call = read_call(record.n, part, lane, part, item, None)
                if call is not None:
                    self.calls.append(call)
            elif kind == "result":
                result = read_result(record.n, part, lane, part, item)
                if result is not None:
                    result.digest = digest(item)
                    self.results.append(result)
        self.snapshot = (record, items) if items else None
        self.history.compacted(record.n, payload)
        self.compactions.append(
            Compaction(
                record.n,
                None if items is None else len(items),
                talk,
                None if last is None else last.input_tokens,
                opaque,
            )
        )


_NONE = Payload()
_HANDLERS: dict[str, Handle] = {  # by type, or by type and inner type
    "response_item": Rollout.item,
    "session_meta": Rollout.session_meta,
    "turn_context": Rollout.turn_context,
    "token_usage_record": Rollout.token_usage,
    "inter_agent_communication": Rollout.agent_message,
    "compacted": Rollout.compacted,
    "event_msg/task_started": Rollout.turn_start,
    "event_msg/turn_started": Rollout.turn_start,
    "event_msg/task_complete": Rollout.turn_end,
    "event_msg/turn_complete": Rollout.turn_end,
    "event_msg/turn_aborted": Rollout.turn_aborted,
    "event_msg/token_count": Rollout.token_count,
    "event_msg/thread_rolled_back": Rollout.rolled_back,
    "event_msg/item_completed": Rollout.item_completed,
    "event_msg/exec_command_end": Rollout.tool_end,
    "event_msg/mcp_tool_call_end": Rollout.tool_end,
    "event_msg/patch_apply_end": Rollout.tool_end,
}
