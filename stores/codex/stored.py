"""Compactions, and the histories that they store."""

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct

from suture.stores.codex import unread, vocabulary, wanted
from suture.stores.codex.calls import digest, read_call, read_result, refused_id
from suture.stores.codex.lines import NOTHING, Line, Payload, starts_with
from suture.stores.codex.records import Compaction
from suture.stores.codex.rollout import Rollout

_NULL = b"null"


class _Beside(Struct):
    """What else a client wants of one."""

    message: Raw = NOTHING
    window_number: Raw = NOTHING
    first_window_id: Raw = NOTHING
    previous_window_id: Raw = NOTHING
    replacement_history_metadata: Raw = NOTHING


class _Record(Struct):
    payload: _Beside | None = None


class _Items(Struct):
    replacement_history: list[Raw]


class _Storing(Struct):
    payload: _Items


_beside = msgspec.json.Decoder(_Record).decode
_list = msgspec.json.Decoder(list[Raw]).decode
_stored = msgspec.json.Decoder(_Storing).decode
_number = msgspec.json.Decoder(int).decode


def compacted(found: Rollout, n: int, kind: str, line: Line, payload: Payload) -> None:
    items = payload.replacement_history
    why = unread.stored(items or ()) or _unread(found, n, payload)
    if why is not None:
        found.records.skip(n, f"the compaction does not count: {why}")
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


def _unread(found: Rollout, n: int, payload: Payload) -> str | None:
    """Why a client cannot read it, beside the items."""
    if n in found.records.recovered:
        return None
    try:
        beside = _beside(found.line(n)).payload
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if beside is None:
        return None
    items = payload.replacement_history
    return _of_keys(beside) or _unlike(items, beside) or _of_rare(found.line(n), items or ())


def _of_rare(line: bytes, items: Sequence[Payload]) -> str | None:
    """What is decoded of the items does not tell."""
    rare = [part for part, item in enumerate(items) if item.type in wanted.RARE]
    if not rare:
        return None
    raws = _stored(line).payload.replacement_history
    for part in rare:
        why = wanted.of_item(items[part].type, raws[part])
        if why is not None:
            return unread.within(part, why)
    return None


def _of_keys(beside: _Beside) -> str | None:
    if (why := unread.text("message", beside.message)) is not None:
        return why
    if not _may_be_number(beside.window_number):
        return "payload.window_number is no number of a window"
    for name in ("first_window_id", "previous_window_id"):
        value = getattr(beside, name)
        if value and bytes(value) != _NULL and not starts_with(value, b'"'):
            return f"payload.{name} is of another type"
    return None


def _may_be_number(value: Raw) -> bool:
    if not value or bytes(value) == _NULL:
        return True
    try:
        return 0 <= _number(value) < 1 << 64
    except msgspec.DecodeError:
        return False


def _unlike(items: Sequence[Payload] | None, beside: _Beside) -> str | None:
    """From 0.171 on an object stands beside each item."""
    metadata = beside.replacement_history_metadata
    if items is None or not metadata or bytes(metadata) == _NULL:
        return None
    try:
        told = _list(metadata)
    except msgspec.DecodeError:
        return "payload.replacement_history_metadata is of another type"
    if len(told) != len(items):
        counts = f"{len(told)} entries for {len(items)} items"
        return f"payload.replacement_history_metadata has {counts}"
    if any(not starts_with(one, b"{") for one in told):
        return "payload.replacement_history_metadata holds what is no object"
    return None
