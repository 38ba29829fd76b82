"""The items of the responses API, and the histories of them that compactions store."""

from msgspec import Raw

from suture.stores.codex import vocabulary
from suture.stores.codex.calls import digest, nameless, read_call, read_result, refused_id
from suture.stores.codex.lines import Line, Payload, first_byte
from suture.stores.codex.records import SKIPPED, Compaction
from suture.stores.codex.rollout import Handle, Rollout
from suture.stores.codex.vocabulary import printed

_SOUND = ("", "")
_LIST, _TEXT_OR_LIST = b"[", b'["'
_TEXT = (b'"',)


def call(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if payload.id is not None:
        _check_id(found, n, payload)
    call = read_call(n, 0, "main", n, payload, found.group)
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


def result(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if payload.id is not None:
        _check_id(found, n, payload)
    output = payload.output
    is_text = bool(output) and first_byte(output) == _TEXT
    result = read_result(n, 0, "main", n, payload)
    if result is not None:
        found.results.append(result)
        if (not is_text or line.timestamp is None) and payload.type != "tool_search_output":
            _check_shape(found, n, line, "output", output, _TEXT_OR_LIST)
        if n in found.records.recovered or found.records.problems.get(n, _SOUND)[0] == "shape":
            found.digests[n, 0] = digest(payload)
    if payload.call_id is None:
        found.strange.add(n)
        if payload.type != "tool_search_output" and n not in found.records.problems:
            found.results.append(nameless(n, payload))
    if not is_text or n in found.odd.doubtful:
        found.odd.item(n, payload)


def message(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if payload.id is not None:
        _check_id(found, n, payload)
    found.history.message(n, kind)
    found.odd.item(n, payload)
    _check_shape(found, n, line, "content", payload.content, _LIST)
    if payload.role is None:
        found.strange.add(n)
        found.records.note(n, "shape", f"payload.role is missing{SKIPPED}")


def reasoning(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    if payload.id is not None:
        _check_id(found, n, payload)
    found.odd.item(n, payload)
    found.odd.reasoning(n, 0, payload)


def item(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    """Any other item."""
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


def compacted(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    items = payload.replacement_history
    opaque = False
    last = found.steps.all.last
    talk = found.history.talk
    lane = f"snapshot:{n}"
    for part, item in enumerate(items or ()):
        role = vocabulary.ITEMS.get(item.type or "")
        opaque |= role == "summary"
        bad = refused_id(item)
        if bad is not None:
            found.records.note(n, "item_id", f"item {part}: {bad}")
        if role == "call":
            call = read_call(n, part, lane, part, item, None)
            if call is not None:
                found.calls.append(call)
        elif role == "result":
            result = read_result(n, part, lane, part, item)
            if result is not None:
                found.digests[n, part] = digest(item)
                found.results.append(result)
    if not found.skips(n, line):
        found.snapshot = (n, items) if items else None
        found.history.compacted(n, payload)
    found.compactions.append(
        Compaction(
            n,
            None if items is None else len(items),
            talk,
            None if last is None else last.input_tokens,
            opaque,
        )
    )


def _check_id(found: Rollout, n: int, payload: Payload) -> None:
    bad = refused_id(payload)
    if bad is not None:
        found.records.note(n, "item_id", bad)


def _check_shape(found: Rollout, n: int, line: Line, name: str, value: Raw, starts: bytes) -> None:
    """Measured on 0.171: it skips a line that it cannot read, without a word."""
    if not value or first_byte(value)[0] not in starts:
        what = "of another type" if value else "missing"
        found.records.note(n, "shape", f"payload.{name} is {what}{SKIPPED}")
    elif line.timestamp is None and found.records.problems.get(n) is None:
        found.records.note(n, "shape", f"timestamp is missing{SKIPPED}")


ITEMS: dict[str, Handle] = {  # by kind, or by the type of a kind that others have, too
    "response_item/message": message,
    "call": call,
    "result": result,
    "reasoning": reasoning,
}
