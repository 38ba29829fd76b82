"""Which records a resume takes: the leaf, the walk to the root, what compaction cut.

Measured on Claude Code 2.1.197.
"""

from dataclasses import dataclass

import pyarrow as pa
from pyarrow.compute import SetLookupOptions, call_function

from suture.stores._columns import plain
from suture.stores.claude_code.records import (
    ANSWER,
    ASSISTANT,
    CHAINED,
    MAIN,
    RENDERED,
    USER,
    flag_bytes,
)
from suture.stores.claude_code.view import Boundary, Transcript

_BRIDGE = 5_000_000  # µs: a record at most this much older is taken for a missing parent
_LINK = CHAINED | MAIN


@dataclass(frozen=True, slots=True)
class Leaves:
    """n of the leaf by each rule in use; `live` is the one that 2.1.197 takes."""

    live: int | None
    newest: int | None  # R1: by time, among the ends of branches
    last: int | None  # R2: in file order
    hint: int | None  # R3: what the last `last-prompt` names
    hint_id: str | None


def mark_chain(found: Transcript) -> Leaves:
    """Set `on_chain` and `sent`. The lane is the main one; side lanes never win."""
    records = found.records
    leaves = _leaves(found)
    path = walk(found, leaves.live)
    walked = _with_siblings(found, path)
    view = _view(found, walked)
    seen = set(walked)
    while path and (before := _before(found, path[-1])) is not None:
        path = walk(found, before, seen)
        walked += _with_siblings(found, path)
    on_chain, sent, marks = bytearray(len(records)), bytearray(len(records)), records.marks
    for n in walked:
        on_chain[n] = 1
    for n in view:
        on_chain[n] = 1
        sent[n] = marks[n] & RENDERED
    records.on_chain, records.sent = bytes(on_chain), bytes(sent)
    return leaves


def parent_of(found: Transcript, n: int) -> int | None:
    """n of the parent, or of the record that the client takes in its place."""
    at = found.records.up[n]
    if at >= 0:
        return at
    return _bridge(found, n) if n in found.records.loose else None


def walk(found: Transcript, leaf: int | None, seen: set[int] | None = None) -> list[int]:
    """From the leaf towards the root, until no parent, a missing one, or one seen before."""
    seen = set() if seen is None else seen
    path: list[int] = []
    up = found.records.up
    while leaf is not None and leaf not in seen:
        seen.add(leaf)
        path.append(leaf)
        at = up[leaf]
        leaf = at if at >= 0 else parent_of(found, leaf)
    return path


def _bridge(found: Transcript, n: int) -> int | None:
    before = _chained_before(found, n)
    if before is None:
        return None
    then, now = found.records.value("time", before), found.records.value("time", n)
    if now is None or then is None:
        return None
    return before if 0 <= now - then <= _BRIDGE else None


def _chained_before(found: Transcript, n: int) -> int | None:
    """In the same lane."""
    records, lane = found.records, found.records.lane(n)
    for other in range(n - 1, -1, -1):
        if records.marks[other] & CHAINED and records.lane(other) == lane:
            return other
    return None


def _leaves(found: Transcript) -> Leaves:
    records = found.records
    last = None
    main, has_child = list[int](), bytearray(len(records))
    for n, (mark, at) in enumerate(zip(records.marks, records.up, strict=True)):
        if mark & _LINK == _LINK:
            main.append(n)
            if at >= 0:
                has_child[at] = 1
            if mark & (USER | ASSISTANT):
                last = n
    for older, newer in records.older():
        has_child[older] |= has_child[newer]
    hint = hint_id = None
    if found.hints:
        hint_id = found.hints[-1][1]
        hint = records.by_id.get(hint_id)
    live = last
    if hint is not None and records.marks[hint] & MAIN and hint not in walk(found, last):
        live = hint
    newest = _newest(found, [n for n in main if not has_child[n]])
    return Leaves(live, _talk_above(found, newest), last, hint, hint_id)


def _newest(found: Transcript, ends: list[int]) -> int | None:
    """The last one of those with the latest time."""
    times = found.records.values("time", ends)
    timed = ((time or 0, n) for time, n in zip(times, ends, strict=True))
    return max(timed, default=(0, None))[1]


def _talk_above(found: Transcript, n: int | None) -> int | None:
    for above in walk(found, n):
        if found.records.marks[above] & (USER | ASSISTANT):
            return above
    return n


def _with_siblings(found: Transcript, path: list[int]) -> list[int]:
    """With the other lines of the responses on the path, and the results that hang on them.

    Each parallel call is answered off its own line, so the walk passes by all but one.
    """
    records, on_path = found.records, set(path)
    inside = _lines_of_responses(found, [n for n in path if records.marks[n] & ASSISTANT])
    siblings = []
    for n in range(len(records)) if any(inside) else ():
        mark = records.marks[n]
        if not mark & CHAINED or n in on_path:
            continue
        line = n
        if mark & ANSWER:
            line = records.up[n]
        if (
            line >= 0
            and inside[line]
            and records.marks[line] & ASSISTANT
            and records.newest(n) == n
        ):
            siblings.append(n)
    return path + siblings


def _lines_of_responses(found: Transcript, members: list[int]) -> bytes:
    """A byte a record: whether it names a response that one of the members names."""
    groups = set(found.records.values("group", members)) - {None}
    among = SetLookupOptions(pa.array(sorted(groups), pa.string()))
    return b"".join(
        flag_bytes(call_function("is_in", [plain(chunk["group"])], among))
        for _, chunk in found.records.chunks()
    )


def _view(found: Transcript, walked: list[int]) -> list[int]:
    """What of the walk the model gets: nothing from before the last compaction but what it kept."""
    if not found.boundaries:
        return walked
    last = found.boundaries[-1]
    kept = set(preserved(found, last))
    if last.n in walked:
        # the walk ended here: a boundary has no parent
        return [*walked, *kept]
    if not kept.isdisjoint(walked):
        # what came after hangs off the kept tail and passes the boundary by
        after = {n for n in walked if n > last.n}
        summary = summary_of(found, last)
        return [*after, *kept, last.n, *([] if summary is None else [summary])]
    return walked


def preserved(found: Transcript, boundary: Boundary) -> list[int]:
    """The records that a compaction kept as they were."""
    by_id, meta = found.records.by_id, boundary.meta
    messages, segment = meta.preserved_messages, meta.preserved_segment
    if messages is not None and messages.uuids:
        return [by_id[uuid] for uuid in messages.uuids if uuid in by_id]
    if segment is None or segment.tail_uuid is None:
        return []
    kept, head = [], by_id.get(segment.head_uuid or "")
    for n in walk(found, by_id.get(segment.tail_uuid)):
        kept.append(n)
        if n == head:
            return kept
    return []


def summary_of(found: Transcript, boundary: Boundary) -> int | None:
    following = (other.n for other in found.boundaries if other.n > boundary.n)
    stop = next(following, len(found.records))
    for n, parent in found.summaries:
        if boundary.n < n < stop and parent == boundary.uuid:
            return n
    return None


def _before(found: Transcript, root: int) -> int | None:
    """The record that a compaction cut off from here: still on disk, no longer sent."""
    boundary = next((one for one in found.boundaries if one.n == root), None)
    if boundary is None:
        return None
    named = found.records.by_id.get(boundary.logical or "")
    if named is not None and named < root:
        return named
    return _chained_before(found, root)
