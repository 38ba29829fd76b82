"""Records that stand in a file again."""

import re
from itertools import pairwise

from suture.stores.codex.records import Record, size
from suture.stores.codex.rollout import Rollout

_ORDINAL = re.compile(rb'"ordinal":[0-9]+')
_NAMES = re.compile(rb'"(?:call_id|turn_id|id)":"[^"]')  # what no other record would have
_AT_ONCE = 50_000  # microseconds between two records that were written together


def mark_copies(rollout: Rollout) -> None:
    """Bytes are compared only where time and size, or the item's id, are those of another."""
    by_look: dict[tuple[int | None, int, str], Record] = {}
    by_id: dict[str, Record] = {}
    batch = _batch(rollout)
    for record in rollout.records.pick(rollout.records.again()):
        if record.recovered:
            continue
        look = (record.time, size(record.length, record.ordinal), record.type)
        first = by_look.setdefault(look, record)
        if first is not record and (record.n not in batch or _is_named(rollout, record)):
            _mark_repeated(rollout, first, record)
        if record.id and record.type.startswith("response_item/"):
            first = by_id.setdefault(record.id, record)
            marked = record.n in rollout.records.copies
            if first is not record and first.type == record.type and not marked:
                _mark_same_id(rollout, first, record)


def _batch(rollout: Rollout) -> range:
    """n of what a fork repeats of its parent. All of it has the time at which the fork was written
    (measured on 0.140), so that "Done." said twice is there byte for byte."""
    records = rollout.records
    if rollout.paginated or len(records) < 2 or records.value("kind", 1) != "header":
        return range(0)
    times = records.values("time", range(len(records)))
    steps = pairwise(times[1:])
    pauses = (n for n, (a, b) in enumerate(steps, 2) if None in (a, b) or b - a > _AT_ONCE)
    return range(1, next(pauses, len(times)))


def _is_named(rollout: Rollout, record: Record) -> bool:
    return _NAMES.search(rollout.raw(record)) is not None


def _mark_repeated(rollout: Rollout, first: Record, record: Record) -> None:
    old, new = rollout.raw(first), rollout.raw(record)
    if old == new:
        rollout.records.copies[record.n] = first.n, "identical"
    elif record.ordinal is not None and _without_ordinal(old) == _without_ordinal(new):
        rollout.records.copies[record.n] = first.n, "event"


def _mark_same_id(rollout: Rollout, first: Record, record: Record) -> None:
    """An item that was written again keeps its id and its payload."""
    if _payload(rollout.raw(first)) == _payload(rollout.raw(record)):
        rollout.records.copies[record.n] = first.n, "envelope"
    else:
        rollout.records.same_ids[record.n] = first.n


def _without_ordinal(raw: bytes) -> bytes:
    return _ORDINAL.sub(b"", raw, 1)


def _payload(raw: bytes) -> bytes:
    return raw[raw.find(b'"payload"') :].partition(b',"metadata":{"history_sequence"')[0]
