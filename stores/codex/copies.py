"""Records that stand in a file again."""

import re

from suture.stores.codex.records import Record
from suture.stores.codex.rollout import Rollout

_ORDINAL = re.compile(rb'"ordinal":[0-9]+')


def mark_copies(rollout: Rollout) -> None:
    """Bytes are compared only where time and size, or the item's id, are those of another."""
    by_size: dict[int, Record] = {}
    by_id: dict[str, Record] = {}
    for record in rollout.records:
        if record.recovered:
            continue
        ordinal = record.ordinal
        size = record.length if ordinal is None else record.length - len(str(ordinal))
        key = (record.time or 0) * 4096 + size  # times are milliseconds apart: room for 4 MB
        first = by_size.setdefault(key, record)
        if first is not record and first.type == record.type:
            _mark_repeated(rollout, first, record)
        if record.id and record.type.startswith("response_item/"):
            first = by_id.setdefault(record.id, record)
            if first is not record and first.type == record.type and record.copy_of is None:
                _mark_same_id(rollout, first, record)


def _mark_repeated(rollout: Rollout, first: Record, record: Record) -> None:
    old, new = rollout.raw(first), rollout.raw(record)
    if old == new:
        record.copy_kind = "identical"
    elif record.ordinal is not None and _without_ordinal(old) == _without_ordinal(new):
        record.copy_kind = "event"
    else:
        return
    record.copy_of, rollout.noted = first.n, True


def _mark_same_id(rollout: Rollout, first: Record, record: Record) -> None:
    """An item that was written again keeps its id and its payload."""
    if _payload(rollout.raw(first)) == _payload(rollout.raw(record)):
        record.copy_of, record.copy_kind = first.n, "envelope"
    else:
        record.same_id = first.n
    rollout.noted = True


def _without_ordinal(raw: bytes) -> bytes:
    return _ORDINAL.sub(b"", raw, 1)


def _payload(raw: bytes) -> bytes:
    return raw[raw.find(b'"payload"') :].partition(b',"metadata":{"history_sequence"')[0]
