"""The state of the walk over the records of one rollout file."""

from collections.abc import Callable, Sequence

from msgspec import Raw

from suture.model.rows import DamageRow
from suture.stores._jsonl import Healthy, Piece
from suture.stores._nul import suspect, suspects
from suture.stores._packed import Packed
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
from suture.stores.codex.records import Compaction, Header, Record, Records
from suture.stores.codex.turns import Steps, Turns

_MODEL_OUTPUT = frozenset({"reply", "reasoning", "call"})
_ENDS_RESPONSE = frozenset({"result", "prompt", "injected", "turn_start", "boundary", "header"})
_TOOL_ITEMS = frozenset(
    {"CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall"}
)


Handle = Callable[["Rollout", int, str, Line, Payload], None]  # n and kind of the record
Meaning = tuple[str, str, Handle | None]


class Rollout:
    """State of the walk over one file; complete after `read_rollout`."""

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
        self.history = History(paginated=False)
        self.model: str | None = None
        self.cwd: str | None = None  # of the last turn
        self.numbered = False
        self.odd = Look(data, self.records)
        self.snapshot: tuple[int, list[Payload]] | None = None  # the last one, and its record
        self.strange: set[int] = set()  # records in which a key may stand twice
        self._group: str | None = None
        self._group_start = 0
        self._called: int | None = None  # the last call of this turn that a client answers
        self._turn_ids: dict[str, str] = {}  # one string object a turn
        self._meanings: dict[tuple[str | None, str | None], Meaning] = {}

    @property
    def paginated(self) -> bool:
        return self.header.paginated or self.numbered

    def take(self, found: Healthy[Line]) -> None:
        """All the records of a stretch of healthy lines."""
        records, first = self.records, len(self.records)
        records.take_places(found)
        self.odd.doubtful = suspects(first, found.raws, found.text)
        self._walk(first, found.values)

    def add(self, piece: Piece, line: Line, wrong: Sequence[str] = ()) -> int:
        """One record; returns its n."""
        records, n = self.records, len(self.records)
        records.add_place(piece)
        if wrong and self._meaning(line, line.payload or _NONE)[1] != "unknown":
            records.note(n, "shape", "; ".join(wrong[:3]))
        self.odd.doubtful = suspect(n, piece.raw)
        self._walk(n, [line])
        if piece.obj is not None:
            self.strange.discard(n)  # all of its keys were looked at
        return n

    def _walk(self, n: int, lines: Sequence[Line]) -> None:
        # Every record of every rollout passes here: one loop with names of its own is twice as
        # fast as a function for each of its steps.
        records = self.records
        add_kind, add_type = records.kind.append, records.type.append
        add_group, add_turn, add_id = records.group.append, records.turn.append, records.id.append
        meanings, turn_ids = self._meanings, self._turn_ids
        for line in lines:
            payload = line.payload
            if payload is None:
                payload = _NONE
                self.strange.add(n)
            known = meanings.get((line.type, payload.type))
            full_type, kind, handle = known if known is not None else self._meaning(line, payload)
            if kind == "prompt":
                kind = message_kind(payload)
            if kind in _MODEL_OUTPUT:
                if self._group is None:
                    self._group, self._group_start = f"r{n}", n
                add_group(self._group)
            else:
                add_group(None)
                if kind in _ENDS_RESPONSE:
                    self._group = None
            turn = payload.turn_id
            if turn is None:
                through = payload.internal_chat_message_metadata_passthrough
                if through is not None:
                    turn = through.turn_id
            add_turn(self.turns.open_id if turn is None else turn_ids.setdefault(turn, turn))
            if not self.numbered and line.ordinal is not None:
                self.numbered = self.history.paginated = True
            add_kind(kind)
            add_type(full_type)
            add_id(payload.id)
            if handle is not None:
                handle(self, n, kind, line, payload)
            elif kind == "unknown":
                self.strange.add(n)
            n += 1
        records.ordinal += [line.ordinal for line in lines]
        records.stamp += [line.timestamp for line in lines]
        records.cut_chunk()

    def _meaning(self, line: Line, payload: Payload) -> Meaning:
        full_type, kind = vocabulary.meaning(line.type, payload.type)
        item = line.type == "response_item"
        handle = _ITEMS.get(kind, Rollout.item) if item else _HANDLERS.get(full_type)
        meaning = (full_type, kind, handle)
        self._meanings[line.type, payload.type] = meaning
        return meaning

    def raw(self, record: Record) -> bytes:
        return self.line(record.n)

    def line(self, n: int) -> bytes:
        return bytes(self.data[self.records.span(n)])

    def _check_id(self, n: int, payload: Payload) -> None:
        bad = refused_id(payload)
        if bad is not None:
            self.records.note(n, "item_id", bad)

    def _check_shape(self, n: int, line: Line, name: str, value: Raw, starts: bytes) -> None:
        """Measured on 0.171: it skips a line that it cannot read, without a word."""
        if not value or memoryview(value)[0] not in starts:
            what = "of another type" if value else "missing"
            self.records.note(n, "shape", f"payload.{name} is {what}{_SKIPPED}")
        elif line.timestamp is None and self.records.problems.get(n) is None:
            self.records.note(n, "shape", f"timestamp is missing{_SKIPPED}")

    def call(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        if payload.id is not None:
            self._check_id(n, payload)
        call = read_call(n, 0, "main", n, payload, self._group)
        if call is not None:
            self.calls.append(call)
            if not call.server:
                self._called = n
            if call.status is not None:
                self.records.status[n] = call.status
        if payload.call_id is None:
            self.strange.add(n)
        self.history.item(n, kind)
        if n in self.odd.doubtful:
            self.odd.item(n, payload)

    def result(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        if payload.id is not None:
            self._check_id(n, payload)
        result = read_result(n, 0, "main", n, payload)
        if result is not None:
            self.results.append(result)
            if payload.type in _OUTPUTS:
                self._check_shape(n, line, "output", payload.output, _TEXT_OR_LIST)
            if n in self.records.recovered or self.records.problems.get(n, _SOUND)[0] == "shape":
                self.digests[n, 0] = digest(payload)
        if payload.call_id is None:
            self.strange.add(n)
        self.history.item(n, kind)
        self.odd.item(n, payload)

    def item(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        """Any other item: what is said, reasoning, a summary; and what is not known."""
        if payload.id is not None:
            self._check_id(n, payload)
        if kind == "unknown" or (kind == "injected" and payload.role is None):
            self.strange.add(n)
        if kind not in ("unknown", "state"):
            self.history.item(n, kind)
            self.odd.item(n, payload)
            if payload.type == "message":
                self._check_shape(n, line, "content", payload.content, _LIST)
                if payload.role is None:
                    self.records.note(
                        n, "shape", "payload.role is missing; a client skips the line"
                    )
            if kind == "reasoning":
                self.odd.reasoning(n, 0, payload)

    def turn_start(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self._called = None
        self.turns.start(n, micros(line.timestamp), payload.turn_id)

    def turn_end(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        failed = payload.error and bytes(payload.error) != b"null"
        outcome = "failed" if failed else "complete"
        self.turns.end(n, micros(line.timestamp), payload.turn_id, outcome)
        if self._called is not None and outcome == "complete":
            self._part(self._called, n)
        self._called = None

    def _part(self, called: int, end: int) -> None:
        """A turn completes with a response that calls nothing: what was said after the last call
        is not of its response, though no result stands between them."""
        group, first = self.records.value("group", called), None
        for n in range(called + 1, end):
            if self.records.value("kind", n) in _ENDS_RESPONSE:
                return
            if self.records.value("group", n) == group:
                first = first or f"r{n}"
                self.records.regroup(n, first)

    def turn_aborted(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self.turns.end(n, micros(line.timestamp), payload.turn_id, "aborted")

    def token_count(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self.steps.count(n, self._group_start, payload, self.turns.number, self.model)
        self._group = None

    def rolled_back(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self.history.rolled_back(payload.num_turns or 0)

    def item_completed(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        item = payload.item
        if item is not None and item.id and item.type in _TOOL_ITEMS:
            self.evidence[item.id] = Evidence(n, item.status or "completed")

    def tool_end(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        if payload.call_id:
            ended = status(payload.status) or "completed"
            self.evidence[payload.call_id] = Evidence(n, ended)

    def session_meta(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        if self.header.n is None:
            self.header.n, self.header.payload = n, payload
            self.odd.provider = payload.model_provider
            self.history.paginated |= self.header.paginated
        if payload.cli_version:
            self.header.versions[payload.cli_version] = None
        self.history.header()

    def turn_context(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self.model = payload.model or self.model
        self.cwd = payload.cwd or self.cwd

    def token_usage(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self.steps.record(n, self._group_start, payload, self.turns.number, self.model)
        self._group = None

    def agent_message(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        self.history.item(n, kind)

    def compacted(self, n: int, kind: str, line: Line, payload: Payload) -> None:
        items = payload.replacement_history
        opaque = False
        last = self.steps.all[-1].usage if self.steps.all else None
        talk = self.history.talk
        lane = f"snapshot:{n}"
        for part, item in enumerate(items or ()):
            role = vocabulary.ITEMS.get(item.type or "")
            opaque |= role == "summary"
            bad = refused_id(item)
            if bad is not None:
                self.records.note(n, "item_id", f"item {part}: {bad}")
            if role == "call":
                call = read_call(n, part, lane, part, item, None)
                if call is not None:
                    self.calls.append(call)
            elif role == "result":
                result = read_result(n, part, lane, part, item)
                if result is not None:
                    self.digests[n, part] = digest(item)
                    self.results.append(result)
        self.snapshot = (n, items) if items else None
        self.history.compacted(n, payload)
        self.compactions.append(
            Compaction(
                n,
                None if items is None else len(items),
                talk,
                None if last is None else last.input_tokens,
                opaque,
            )
        )


_NONE = Payload()
_SOUND = ("", "")
_LIST, _TEXT_OR_LIST = b"[", b'["'
_SKIPPED = "; a client skips the line"
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_ITEMS: dict[str, Handle] = {"call": Rollout.call, "result": Rollout.result}  # by kind
_HANDLERS: dict[str, Handle] = {  # by type, or by type and inner type
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
