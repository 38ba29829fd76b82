"""What the records beside the items say: turns, counts of tokens, the header, rollbacks."""

from suture.stores.codex.calls import status
from suture.stores.codex.clock import micros
from suture.stores.codex.evidence import Evidence
from suture.stores.codex.header import gaps
from suture.stores.codex.lines import Line, Payload
from suture.stores.codex.rollout import Handle, Rollout
from suture.stores.codex.stored import compacted

_TOOL_ITEMS = frozenset(
    {"CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall"}
)


def turn_start(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    found.turns.start(n, micros(line.timestamp), payload.turn_id)


def turn_end(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    failed = payload.error and bytes(payload.error) != b"null"
    outcome = "failed" if failed else "complete"
    found.turns.end(n, micros(line.timestamp), payload.turn_id, outcome)
    if found.called is not None and outcome == "complete":
        _part(found, found.called, n)
    found.called = None


def _part(found: Rollout, called: int, end: int) -> None:
    """A turn completes with a response that calls nothing: what was said after the last call
    is not of its response, though no result stands between them."""
    group, first = found.records.value("group", called), None
    for n in range(called + 1, end):
        if found.records.value("group", n) == group:
            first = first or f"r{n}"
            found.records.regroup(n, first)


def turn_aborted(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    found.turns.end(n, micros(line.timestamp), payload.turn_id, "aborted")


def token_count(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    found.steps.count(n, found.group_start, payload, found.turns.open, found.model)
    found.group = None


def rolled_back(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if not found.skips(n, line):
        found.history.rolled_back(n, payload.num_turns or 0)


def item_completed(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    item = payload.item
    if item is not None and item.id and item.type in _TOOL_ITEMS:
        found.evidence[item.id] = Evidence(
            n, found.records.value("line", n), item.status or "completed"
        )


def tool_end(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if payload.call_id:
        ended = status(payload.status) or "completed"
        found.evidence[payload.call_id] = Evidence(n, found.records.value("line", n), ended)


def session_meta(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if found.header.n is None:
        found.header.n, found.header.payload = n, payload
        if n not in found.records.recovered:
            found.header.gaps = gaps(found.line(n))
        found.odd.provider = payload.model_provider
        if found.header.tells_mode:
            found.history.paginated = found.header.paginated
    if payload.cli_version:
        found.header.versions[payload.cli_version] = None
    found.history.header(n)


def turn_context(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    found.model = payload.model or found.model
    found.cwd = payload.cwd or found.cwd


def token_usage(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    found.steps.record(n, found.group_start, payload, found.turns.open, found.model)
    found.group = None


HANDLERS: dict[str, Handle] = {  # by type, or by type and inner type
    "session_meta": session_meta,
    "turn_context": turn_context,
    "token_usage_record": token_usage,
    "compacted": compacted,
    "event_msg/task_started": turn_start,
    "event_msg/turn_started": turn_start,
    "event_msg/task_complete": turn_end,
    "event_msg/turn_complete": turn_end,
    "event_msg/turn_aborted": turn_aborted,
    "event_msg/token_count": token_count,
    "event_msg/thread_rolled_back": rolled_back,
    "event_msg/item_completed": item_completed,
    "event_msg/exec_command_end": tool_end,
    "event_msg/mcp_tool_call_end": tool_end,
    "event_msg/patch_apply_end": tool_end,
}
