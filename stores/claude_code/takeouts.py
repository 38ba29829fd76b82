"""What leaves a transcript or a record, and the note that says so."""

from collections import defaultdict
from collections.abc import Sequence

from suture.model.answer import note_text
from suture.model.edit import Copy
from suture.model.errors import Unsupported
from suture.model.operation import Drop, DropPart, Note, ResultsFirst, Truncate
from suture.model.place import Span
from suture.stores._json_span import span
from suture.stores.claude_code.added import following, iso, note_line
from suture.stores.claude_code.answers import point_to
from suture.stores.claude_code.draft import Draft
from suture.stores.claude_code.kinds import blocks_of
from suture.stores.claude_code.lines import Block, decode
from suture.stores.claude_code.links import name
from suture.stores.claude_code.view import Entry

_LONG = 4096  # bytes: longer blocks are moved, not repeated


def drop(draft: Draft, owner: int, operation: Drop) -> str:
    entry = draft.entry(operation.n)
    draft.remove(owner, entry)
    return "payload" if entry.sent and entry.copy_of is None else "envelope"


def drop_parts(draft: Draft, owned: Sequence[tuple[int, DropPart]]) -> None:
    """All blocks of a record that go are taken out at once: they share their commas."""
    records: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for owner, operation in owned:
        records[operation.n].append((owner, operation.part))
    for n, parts in records.items():
        _drop_parts(draft, n, parts)


def _drop_parts(draft: Draft, n: int, parts: list[tuple[int, int]]) -> None:
    entry, owner = draft.entry(n), parts[0][0]
    count = len(_blocks(draft, entry))
    gone = {part for _, part in parts}
    if not gone <= set(range(count)):
        raise Unsupported(f"line {entry.number} has no block {max(gone)}")
    if len(gone) == count:
        draft.remove(owner, entry)
        return
    _keep(draft, owner, entry, sorted(set(range(count)) - gone))


def results_first(draft: Draft, owner: int, operation: ResultsFirst) -> str:
    entry = draft.entry(operation.n)
    blocks = _blocks(draft, entry)
    order = sorted(range(len(blocks)), key=lambda part: blocks[part].type != "tool_result")
    _keep(draft, owner, entry, order)
    return "payload"


def _blocks(draft: Draft, entry: Entry) -> list[Block]:
    try:
        return blocks_of(decode(draft.bytes_of(entry)))
    except ValueError as error:
        raise Unsupported(f"line {entry.number} does not parse") from error


def _keep(draft: Draft, owner: int, entry: Entry, parts: Sequence[int]) -> None:
    """The content is made of these blocks, in this order."""
    raw = draft.bytes_of(entry)
    whole = span(raw, ("message", "content"))
    if whole is None:
        raise Unsupported(f"line {entry.number} has no content")
    kept: list[bytes | Copy] = []
    for part in parts:
        place = span(raw, ("message", "content", part))
        assert place is not None
        start, end = place
        block = Copy(entry.offset + start, end - start) if end - start > _LONG else raw[start:end]
        kept += [block, b","]
    draft.replace(owner, entry, *whole, (b"[", *kept[:-1], b"]"))


def truncate(draft: Draft, owner: int, operation: Truncate) -> str:
    lane = draft.entry(operation.n).lane if operation.n >= 0 else "main"
    for entry in draft.index.entries.from_(operation.n + 1):
        if entry.chained and entry.lane == lane:
            draft.remove(owner, entry)
    return "cut"


def note(draft: Draft, owner: int, operation: Note) -> str:
    """Behind all that stays: what is noted was the tail."""
    near = draft.entry(max(operation.n, 0))
    last = next((e for e in draft.alive(near.lane) if e.on_chain or near.lane != "main"), None)
    time = draft.newest(near.lane)
    stamp = None if last is None or last.time is None else iso(last.time)
    text = note_text(operation.tools, stamp)
    parent = None if last is None else name(draft, owner, last)
    entry, line = note_line(draft, near, text, parent, following(time), "orphan-call-tail")
    draft.add(owner, entry, line, None)
    point_to(draft, owner, entry)
    return "append"


def adopt(draft: Draft, owner: int, place: Span) -> None:
    """Children of a line that cannot be read hang on the parent that its text names."""
    for row in draft.index.damage.get(place.offset, ()):
        if row.raw_id is not None and row.raw_parent is not None:
            for entry in draft.named(row.raw_id):
                draft.hang(owner, entry, row.raw_parent)
