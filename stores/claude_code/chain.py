"""Which records a resume takes: the leaf, the walk to the root, what compaction cut.

Measured on Claude Code 2.1.197.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from itertools import compress

from msgspec import Struct

from suture.stores._columns import listed
from suture.stores.claude_code.records import (
    ANSWER,
    ASSISTANT,
    CHAINED,
    LINK,
    MAIN,
    RENDERED,
    USER,
    both,
    either,
    marked,
    without,
)
from suture.stores.claude_code.view import Boundary, Transcript

_BRIDGE = 5_000_000  # µs: a record at most this much older is taken for a missing parent


class Leaves(Struct, frozen=True):
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
    on_chain = bytearray(len(records))
    root = _root(found, leaves.live, on_chain)
    _add_siblings(found, on_chain, on_chain)
    view = _view(found, on_chain)
    seen = bytearray(on_chain)
    while root is not None and (before := _before(found, root)) is not None:
        root = _root(found, before, seen)
    if 1 in (older := without(seen, on_chain)):
        _add_siblings(found, older, seen)
    records.on_chain = either(seen, view)
    records.sent = both(view, marked(records.marks, RENDERED))
    records.give_back()
    return leaves


def parent_of(found: Transcript, n: int) -> int | None:
    """n of the parent, or of the record that the client takes in its place."""
    at = found.records.up[n]
    if at >= 0:
        return at
    return _bridge(found, n) if n in found.records.loose else None


def walk(found: Transcript, leaf: int | None, seen: bytearray | None = None) -> Iterator[int]:
    """From the leaf towards the root, until no parent, a missing one, or one seen before. `seen`:
    a byte a record, set on the way."""
    seen = bytearray(len(found.records)) if seen is None else seen
    up = found.records.up
    while leaf is not None and not seen[leaf]:
        seen[leaf] = 1
        yield leaf
        at = up[leaf]
        leaf = at if at >= 0 else parent_of(found, leaf)


def _root(found: Transcript, leaf: int | None, seen: bytearray) -> int | None:
    """Where the walk ends."""
    return next(iter(deque(walk(found, leaf, seen), 1)), None)


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
    main, has_child = marked(records.marks, LINK), bytearray(len(records) + 1)
    for at in compress(records.up, main):
        has_child[at] = 1  # the last byte takes the -1 of those that hang on nothing
    del has_child[-1]
    for older, newer in records.older():
        has_child[older] |= has_child[newer]
    ends = list(compress(range(len(main)), without(main, has_child)))
    last, tail = _default(found)
    if tail is not None and tail in found.unnamed:
        # nothing can be asked of it by its id: the newest of what ends a branch counts
        last, tail = _newest(found, sorted({*map(partial(_talk_above, found), ends)})), None
    hint = hint_id = None
    if found.hints:
        hint_id = found.hints[-1][1]
        hint = records.by_id.get(hint_id)
    live = last
    if hint is not None and records.marks[hint] & MAIN and hint not in walk(found, tail):
        live = hint
    newest = _newest(found, ends)
    said_last = None if newest is None else _talk_above(found, newest)
    return Leaves(live, said_last, last, hint, hint_id)


def _default(found: Transcript) -> tuple[int | None, int | None]:
    """n of the leaf where no pointer decides, and of the record that must hang on what a pointer
    names for it not to decide: a line stored late that hangs on an old one is both."""
    records = found.records
    said = max(marked(records.marks, LINK | who).rfind(1) for who in (USER, ASSISTANT))
    if said < 0:
        return None, None
    links = marked(records.marks, LINK)
    tail = links.rfind(1)
    while tail > said and records.value("kind", tail) == "event":
        tail = links.rfind(1, 0, tail)
    if tail == said:
        return said, said
    talk = next((n for n in walk(found, tail) if records.marks[n] & (USER | ASSISTANT)), None)
    if talk is None:
        return said, tail
    return (said, said) if talk == said else (tail, tail)


def _newest(found: Transcript, ends: list[int]) -> int | None:
    """The last one of those with the latest time."""
    times = found.records.values("time", ends)
    timed = ((time or 0, n) for time, n in zip(times, ends, strict=True))
    return max(timed, default=(0, None))[1]


def _talk_above(found: Transcript, n: int) -> int:
    for above in walk(found, n):
        if found.records.marks[above] & (USER | ASSISTANT):
            return above
    return n


def _add_siblings(found: Transcript, path: bytes | bytearray, on_chain: bytearray) -> None:
    """Mark the other lines of the responses on the path, and the results that hang on them.

    Each parallel call is answered off its own line, so the walk passes by all but one.
    """
    records = found.records
    marks, up, newer = records.marks, records.up, records.newer
    beside = without(marked(marks, CHAINED), on_chain)
    if 1 not in beside:
        return
    inside = _lines_of_responses(found, path)
    for n in compress(range(len(beside)), beside):
        line = up[n] if marks[n] & ANSWER else n
        while line >= 0 and not inside[line] and records.value("kind", line) == "event":
            # a client does without progress records; they may run in a circle
            line = up[line] if up[line] < line else -1
        if line >= 0 and inside[line] and n not in newer:
            on_chain[n] = 1


def _lines_of_responses(found: Transcript, path: bytes | bytearray) -> bytes:
    """A byte a record: whether it is a line of a response that some line on the path is of."""
    lines, ours = marked(found.records.marks, ASSISTANT), set[int]()
    on_path = both(lines, path)
    for first, groups in _groups(found):
        ours.update(map(hash, compress(groups, on_path[first:])))
    ours.discard(hash(None))
    inside = [bytes(map(ours.__contains__, map(hash, groups))) for _, groups in _groups(found)]
    return both(lines, b"".join(inside))


def _groups(found: Transcript) -> Iterator[tuple[int, list[str | None]]]:
    """Of each chunk of records: the n of the first, and which response each is of."""
    for first, chunk in found.records.chunks():
        yield first, listed(chunk["group"])
        found.records.give_back()


def _view(found: Transcript, walked: bytearray) -> bytearray:
    """What of the walk the model gets: nothing from before the last compaction but what it kept."""
    view = bytearray(walked)
    if not found.boundaries:
        return view
    last = found.boundaries[-1]
    kept = preserved(found, last)
    if not walked[last.n]:
        if not any(walked[n] for n in kept):
            return view
        # what came after hangs off the kept tail and passes the boundary by
        view[: last.n] = bytes(last.n)
        view[last.n] = 1
        summary = summary_of(found, last)
        if summary is not None:
            view[summary] = 1
    else:  # what stands before it in the file is cut, even what hangs on it
        view[: last.n] = bytes(last.n)
    for n in kept:
        view[n] = 1
    return view


def preserved(found: Transcript, boundary: Boundary) -> list[int]:
    """The records that a compaction kept as they were."""
    by_id, meta = found.records.by_id, boundary.meta
    messages, segment = meta.preserved_messages, meta.preserved_segment
    if messages is not None and messages.uuids:
        return [n for uuid in messages.uuids if (n := by_id.get(uuid)) is not None]
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
