"""Ids that a repair changes or takes away."""

import json
from hashlib import sha256

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Rekey, RekeyCall
from suture.stores._json_span import span
from suture.stores._store import Translated
from suture.stores.codex.calls import refused_id
from suture.stores.codex.lines import lenient
from suture.stores.codex.records import Record
from suture.stores.codex.removed import without
from suture.stores.codex.target import Target


def rekey(target: Target, operation: Rekey) -> Translated:
    """Take the item id away: the provider takes an item without one, and none may be invented."""
    record = target.record(operation.n)
    if record.kind != "boundary":
        return Translated((without(target, record, ("payload", "id")),), "payload")
    payload = lenient(target.value(record))[0].payload
    bad = [
        part
        for part, item in enumerate((payload and payload.replacement_history) or ())
        if refused_id(item)
    ]
    edits = [
        without(target, record, ("payload", "replacement_history", part, "id")) for part in bad
    ]
    return Translated(tuple(edits), "payload")


def rekey_call(target: Target, operation: RekeyCall) -> Translated:
    """The new id has the length of the old one, so that no offset moves."""
    fresh = _fresh(target, operation)
    edits = [_renamed(target, target.record(operation.n), operation.part, operation.call_id, fresh)]
    if operation.result_n is not None:
        result = target.record(operation.result_n)
        part = operation.result_part or 0
        edits.append(_renamed(target, result, part, operation.call_id, fresh))
    return Translated(tuple(edits), "payload")


def _fresh(target: Target, operation: RekeyCall) -> str:
    old = operation.call_id
    taken = target.call_ids
    prefix = "call_" if old.startswith("call_") else ""
    for attempt in range(100):
        seed = f"{target.path.rpartition('/')[2]}\n{operation.n}\n{operation.part}\n{attempt}"
        digest = sha256(seed.encode("utf-8", "surrogateescape")).hexdigest()
        fresh = (prefix + digest)[: max(len(old), 12)]
        if fresh not in taken:
            return fresh
    raise Unsupported("no free call id of that length")


def _renamed(target: Target, record: Record, part: int, old: str, new: str) -> SpanEdit:
    path: tuple[str | int, ...] = ("payload", "call_id")
    if record.kind == "boundary":
        path = ("payload", "replacement_history", part, "call_id")
    found = span(target.raw(record), path)
    if found is None:
        raise Unsupported(f"record {record.n} does not state the call id {old}")
    start, end = found
    text = json.dumps(new).encode()
    if len(text) != end - start:
        target.moves(record.offset + start)
    return SpanEdit(target.path, record.offset + start, end - start, (text,))
