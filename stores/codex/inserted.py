"""Where a new record goes when the conversation went on after it."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.target import Target

_TELEMETRY = frozenset(
    {"token_usage_record", "event_msg/token_count", "event_msg/thread_settings_applied"}
)


class New(Struct, frozen=True):
    """A record to be written, and after which record it belongs."""

    number: int  # of its operation
    after: int
    kind: str
    payload: dict[str, Any]
    mark: dict[str, Any]


def by_call(new: New) -> tuple[int, int]:
    return new.after, new.number


def insert(target: Target, middle: Sequence[New]) -> tuple[dict[int, Translated], int]:
    """And the highest ordinal then, which what the same plan appends has to follow."""
    inserts = sorted(middle, key=by_call)
    highest = target.highest
    if not inserts:
        return {}, highest
    if not target.paginated:
        return {
            new.number: Translated((_inserted(target, new, None),), "payload") for new in inserts
        }, highest
    slots = _slots(target, inserts)
    if slots is not None:
        return {
            new.number: Translated((slot,), "payload")
            for new, slot in zip(inserts, slots, strict=True)
        }, highest
    target.moves(target.after_line(target.record(inserts[0].after)))
    edits, highest = _renumbered(target, inserts)
    return {
        new.number: Translated(edits if i == 0 else (), "payload") for i, new in enumerate(inserts)
    }, highest


def _slots(target: Target, inserts: Sequence[New]) -> list[SpanEdit] | None:
    """A telemetry record to overwrite for each, so that no byte moves; None unless all have one."""
    # clients look at the newest of each kind
    used = {target.newest[kind] for kind in _TELEMETRY if kind in target.newest}
    slots = []
    for new in inserts:
        slot = _slot(target, new, used)
        if slot is None:
            return None
        slots.append(slot)
    return slots


def _slot(target: Target, new: New, used: set[int]) -> SpanEdit | None:
    batch = target.record(new.after).group
    for at in range(new.after + 1, len(target.records)):
        record = target.records[at]
        sibling = record.kind == "call" and record.group == batch
        if record.type.startswith(("response_item/", "compacted", "session_meta")) and not sibling:
            break
        free = record.type in _TELEMETRY and record.n not in used
        if not free or record.ordinal is None or record.recovered:
            continue
        for mark in (new.mark, None):
            text = compose.line(record.time, record.ordinal, new.kind, new.payload, mark)[:-1]
            if len(text) <= record.length:
                used.add(record.n)
                return target.same_length(record.offset, record.length, text.ljust(record.length))
    return None


def _inserted(target: Target, new: New, ordinal: int | None) -> SpanEdit:
    record = target.record(new.after)
    text = compose.line(compose.later(record.time, 1), ordinal, new.kind, new.payload, new.mark)
    at = target.after_line(record)
    if at == len(target.data) and at and target.data[at - 1] != 0x0A:
        text = b"\n" + text
    return SpanEdit(target.path, at, 0, (text,))


def _renumbered(target: Target, inserts: Sequence[New]) -> tuple[tuple[SpanEdit, ...], int]:
    """Insert, and let every later ordinal rise by what was inserted before it."""
    edits: list[SpanEdit] = []
    waiting = deque(inserts)
    shift, highest = 0, -1
    for n, stated in enumerate(target.stated):
        if shift and stated is not None:
            start, end = _ordinal_span(target, n)
            edits.append(SpanEdit(target.path, start, end - start, (b"%d" % (stated + shift),)))
        highest = max(highest, -1 if stated is None else stated + shift)
        while waiting and waiting[0].after == n:
            shift += 1
            ordinal = None if stated is None else stated + shift
            highest = max(highest, -1 if ordinal is None else ordinal)
            edits.append(_inserted(target, waiting.popleft(), ordinal))
    return tuple(edits), highest


def _ordinal_span(target: Target, n: int) -> tuple[int, int]:
    found = target.ordinal_span(n)
    if found is None:
        raise Unsupported(f"the ordinal of record {n} cannot be found")
    return found
