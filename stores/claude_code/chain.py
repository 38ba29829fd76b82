"""Which records a resume takes: the leaf, the walk to the root, what compaction cut.

Measured on Claude Code 2.1.197.
"""

from dataclasses import dataclass

from suture.stores.claude_code.lines import CompactMetadata
from suture.stores.claude_code.view import Entry, Transcript

_BRIDGE = 5_000_000  # µs: a record at most this much older is taken for a missing parent


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
    leaves = _leaves(found)
    path = walk(found, leaves.live)
    walked = _with_siblings(found, path)
    view = _view(found, walked)
    seen = set(walked)
    while path and (before := _before(found, path[-1])) is not None:
        path = walk(found, before, seen)
        walked += _with_siblings(found, path)
    for n in walked:
        found.entries[n].on_chain = True
    for n in view:
        entry = found.entries[n]
        entry.on_chain = True
        entry.sent = entry.rendered
    return leaves


def parent_of(found: Transcript, entry: Entry) -> int | None:
    """n of the parent, or of the record that the client takes in its place."""
    if entry.parent is None:
        return None
    named = found.by_id.get(entry.parent)
    return _bridge(found, entry) if named is None else named


def walk(found: Transcript, leaf: int | None, seen: set[int] | None = None) -> list[int]:
    """From the leaf towards the root, until no parent, a missing one, or one seen before."""
    seen = set() if seen is None else seen
    path: list[int] = []
    while leaf is not None and leaf not in seen:
        seen.add(leaf)
        path.append(leaf)
        leaf = parent_of(found, found.entries[leaf])
    return path


def _bridge(found: Transcript, entry: Entry) -> int | None:
    for n in range(entry.n - 1, -1, -1):
        other = found.entries[n]
        if other.chained and other.lane == entry.lane:
            if entry.time is None or other.time is None:
                return None
            return n if 0 <= entry.time - other.time <= _BRIDGE else None
    return None


def _leaves(found: Transcript) -> Leaves:
    main = [entry for entry in found.entries if entry.chained and entry.lane == "main"]
    parents = {entry.parent for entry in main}
    last = newest = None
    for entry in main:
        if entry.type in ("user", "assistant"):
            last = entry.n
        if entry.uuid not in parents and (newest is None or (entry.time or 0) >= newest[0]):
            newest = (entry.time or 0, entry.n)
    hint = hint_id = None
    if found.hints:
        hint_id = found.hints[-1][1]
        hint = found.by_id.get(hint_id)
    live = last
    if hint is not None and found.entries[hint].lane == "main" and hint not in walk(found, last):
        live = hint
    return Leaves(live, _talk_above(found, newest and newest[1]), last, hint, hint_id)


def _talk_above(found: Transcript, n: int | None) -> int | None:
    for above in walk(found, n):
        if found.entries[above].type in ("user", "assistant"):
            return above
    return n


def _with_siblings(found: Transcript, path: list[int]) -> list[int]:
    """With the other lines of the responses on the path, and the results that hang on them.

    Each parallel call is answered off its own line, so the walk passes by all but one.
    """
    entries, by_id, on_path = found.entries, found.by_id, set(path)
    groups = {entries[n].group for n in path if entries[n].type == "assistant"} - {None}
    siblings = []
    for n in by_id.values():  # of two holders of an id the later one wins
        if n in on_path:
            continue
        entry = entries[n]
        line: Entry | None = entry
        if entry.kind == "result" and entry.type == "user":
            above = by_id.get(entry.parent or "")
            line = None if above is None else entries[above]
        if line is not None and line.type == "assistant" and line.group in groups:
            siblings.append(n)
    return path + sorted(siblings)


def _view(found: Transcript, walked: list[int]) -> list[int]:
    """What of the walk the model gets: nothing from before the last compaction but what it kept."""
    if not found.boundaries:
        return walked
    n, meta = found.boundaries[-1]
    kept = set(preserved(found, meta))
    if n in walked:
        # the walk ended here: a boundary has no parent
        return [*walked, *kept]
    if not kept.isdisjoint(walked):
        # what came after hangs off the kept tail and passes the boundary by
        after = {m for m in walked if m > n}
        summary = summary_of(found, n)
        return [*after, *kept, n, *([] if summary is None else [summary])]
    return walked


def preserved(found: Transcript, meta: CompactMetadata) -> list[int]:
    """The records that a compaction kept as they were."""
    messages, segment = meta.preserved_messages, meta.preserved_segment
    if messages is not None and messages.uuids:
        return [found.by_id[uuid] for uuid in messages.uuids if uuid in found.by_id]
    if segment is None or segment.tail_uuid is None:
        return []
    kept = []
    for n in walk(found, found.by_id.get(segment.tail_uuid)):
        kept.append(n)
        if found.entries[n].uuid == segment.head_uuid:
            return kept
    return []


def summary_of(found: Transcript, boundary: int) -> int | None:
    uuid = found.entries[boundary].uuid
    for n in range(boundary + 1, len(found.entries)):
        entry = found.entries[n]
        if entry.kind == "summary" and entry.parent == uuid:
            return n
        if entry.kind == "boundary":
            break
    return None


def _before(found: Transcript, root: int) -> int | None:
    """The record that a compaction cut off from here: still on disk, no longer sent."""
    entry = found.entries[root]
    if entry.kind != "boundary":
        return None
    named = found.by_id.get(entry.logical or "")
    if named is not None and named < root:
        return named
    for n in range(root - 1, -1, -1):
        other = found.entries[n]
        if other.chained and other.lane == entry.lane:
            return n
    return None
