"""The items of the responses API."""

from suture.stores.codex import unread, wanted
from suture.stores.codex.calls import Call, digest, nameless, read_call, read_result, refused_id
from suture.stores.codex.lines import Line, Payload, first_byte
from suture.stores.codex.records import SKIPPED
from suture.stores.codex.rollout import Handle, Rollout
from suture.stores.codex.vocabulary import printed

_SOUND = ("", "")
_TEXT = (b'"',)


def call(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    call = read_call(n, 0, "main", n, payload, found.group)
    if (
        call is None
        or call.malformed is not None
        or payload.namespace
        or payload.encrypted_content
        or line.timestamp is None
        or (payload.status and call.status is None)
    ):
        _check_call(found, n, line, unread.call(payload), call)
    if payload.id is not None:
        _check_id(found, n, payload)
    if call is not None:
        found.calls.append(call)
        if not call.server:
            found.called = n
        if call.status is not None:
            found.records.status[n] = call.status
    if payload.call_id is None:
        found.strange.add(n)
    if n in found.odd.doubtful:
        found.odd.item(n, payload)


def rare_call(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    """One of which not all that a client wants is decoded."""
    _check_shape(found, n, line, _lacks(found, n, payload))
    call(found, n, kind, line, payload)


def result(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    output = payload.output
    is_text = bool(output) and first_byte(output) == _TEXT
    if not is_text or line.timestamp is None or payload.namespace or payload.call_id is None:
        _check_shape(found, n, line, unread.output(payload) or _lacks(found, n, payload))
    if payload.id is not None:
        _check_id(found, n, payload)
    result = read_result(n, 0, "main", n, payload)
    if result is not None:
        found.results.append(result)
        if n in found.records.recovered or found.records.problems.get(n, _SOUND)[0] == "shape":
            found.digests[n, 0] = digest(payload)
    if payload.call_id is None:
        found.strange.add(n)
        if payload.type != "tool_search_output" and not found.records.is_skipped(n):
            found.results.append(nameless(n, payload))
    if not is_text or n in found.odd.doubtful:
        found.odd.item(n, payload)


def message(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    why = unread.message(payload)
    if why is not None or line.timestamp is None:
        _check_shape(found, n, line, why)
    if payload.id is not None:
        _check_id(found, n, payload)
    if why is None:
        found.history.message(n, kind)
    found.odd.item(n, payload)
    if kind != "injected":
        return
    if payload.role is None:
        found.strange.add(n)
    elif payload.role == "system":  # read and not sent (measured on 0.171)
        found.records.left_out.add(n)


def reasoning(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    _check_shape(found, n, line, unread.reasoning(payload))
    if payload.id is not None:
        _check_id(found, n, payload)
    found.odd.item(n, payload)
    found.odd.reasoning(n, 0, payload)


def item(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    """Any other item."""
    _check_shape(found, n, line, unread.other(payload) or _lacks(found, n, payload))
    if payload.id is not None:
        _check_id(found, n, payload)
    if kind == "injected" and payload.role is None:
        found.strange.add(n)
    if kind != "state":
        found.odd.item(n, payload)


def unknown(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    found.records.unknown[n] = printed(line.type, payload.type)
    found.strange.add(n)


def unknown_item(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    unknown(found, n, kind, line, payload)
    if payload.id is not None:
        _check_id(found, n, payload)


def _check_id(found: Rollout, n: int, payload: Payload) -> None:
    bad = refused_id(payload)
    if bad is not None:
        found.records.note(n, "item_id", bad)


def _check_call(found: Rollout, n: int, line: Line, why: str | None, call: Call | None) -> None:
    if why is not None and call is not None and call.malformed is not None:
        found.records.left_out.add(n)  # the finding of that tells it
    else:
        _check_shape(found, n, line, why)


def _lacks(found: Rollout, n: int, payload: Payload) -> str | None:
    if n in found.records.recovered:
        return None  # its line is damaged, which is told
    return wanted.of_line(payload.type, found.line(n))


def _check_shape(found: Rollout, n: int, line: Line, why: str | None) -> None:
    """Measured on 0.171: it skips a line that it cannot read, without a word."""
    if why is not None:
        found.records.skip(n, why)
    elif line.timestamp is None and found.records.problems.get(n) is None:
        found.records.note(n, "shape", f"timestamp is missing{SKIPPED}")


ITEMS: dict[str, Handle] = {  # by kind, or by the type of a kind that others have, too
    "response_item/message": message,
    "call": rare_call,
    "response_item/function_call": call,
    "response_item/custom_tool_call": call,
    "result": result,
    "reasoning": reasoning,
}
