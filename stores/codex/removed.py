"""Records and parts of records that a repair takes out."""

from collections.abc import Collection

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Blank, Drop, DropPart, Truncate
from suture.stores._json_span import member_span, span
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.records import BESIDE, SNAPSHOT, Record
from suture.stores.codex.target import Target

_MESSAGES = frozenset({"prompt", "reply", "injected"})


def drop(target: Target, operation: Drop, appended: bool) -> Translated:
    """`appended`: something is put at the end of the file in the same plan."""
    record = target.record(operation.n)
    last = record.n == len(target.records) - 1
    if not target.paginated or (last and not appended and _ends_file(target, record)):
        return Translated((_cut_line(target, record),), _cost(target, record, last))
    return Translated((_replaced(target, record),), _cost(target, record, last=False))


def blank(target: Target, operation: Blank) -> Translated:
    record = target.record(operation.n)
    if target.paginated:
        edit = _replaced(target, record)
    else:
        edit = target.same_length(record.offset, record.length, b" " * record.length)
    return Translated((edit,), _cost(target, record, last=False))


def drop_part(
    target: Target, operation: DropPart, appended: bool, together: Collection[int]
) -> Translated:
    """`together`: the parts of this record that the same plan drops."""
    record = target.record(operation.n)
    if record.kind in _MESSAGES:
        path: tuple[str | int, ...] = ("payload", "content")
    elif record.kind == "boundary":
        path = SNAPSHOT
    else:  # a call, a result or a reasoning item is its record
        return drop(target, Drop(operation.session, operation.n), appended)
    raw = target.raw(record)
    lists: list[tuple[str | int, ...]] = [path]
    if path == SNAPSHOT and span(raw, (*BESIDE, operation.part)) is not None:
        lists.append(BESIDE)
    cuts = sorted(_element(raw, each, operation.part, together, record.n) for each in lists)
    edits = tuple(_emptied(target, record, start, end) for start, end in cuts)
    return Translated(edits, _cost(target, record, last=False))


def _element(
    raw: bytes, path: tuple[str | int, ...], part: int, together: Collection[int], n: int
) -> tuple[int, int]:
    """An element with one comma, chosen so that elements dropped together share none."""
    own = span(raw, (*path, part))
    if own is None:
        raise Unsupported(f"record {n} has no part {part}")
    following, index = span(raw, (*path, part + 1)), part + 1
    while index in together:
        index += 1
    if following is not None and span(raw, (*path, index)) is not None:
        return own[0], following[0]
    before = span(raw, (*path, part - 1)) if part else None
    return (before[1] if before else own[0]), own[1]


def without(target: Target, record: Record, path: tuple[str | int, ...]) -> SpanEdit:
    """A record without one member; spaces take its place where offsets are referenced."""
    found = member_span(target.raw(record), path)
    if found is None:
        raise Unsupported(f"record {record.n} has no {'.'.join(map(str, path))}")
    return _emptied(target, record, *found)


def _emptied(target: Target, record: Record, start: int, end: int) -> SpanEdit:
    after = b" " * (end - start) if target.paginated else b""
    return SpanEdit(target.path, record.offset + start, end - start, (after,))


def truncate(target: Target, operation: Truncate) -> Translated:
    """A paginated file keeps its length: its projection is stuck for good when a file shrinks."""
    after = target.records[operation.n + 1 :]
    if not after:
        return Translated((), "cut")
    if target.paginated:
        edits = tuple(_replaced(target, record) for record in after if record.kind != "header")
        return Translated(edits, "cut")
    start = after[0].offset
    return Translated((SpanEdit(target.path, start, len(target.data) - start, ()),), "cut")


def _replaced(target: Target, record: Record) -> SpanEdit:
    alone = record.ordinal is not None and target.ordinals[record.ordinal] == 1
    ordinal = record.ordinal if alone else None
    text = compose.removed(record.time, ordinal, record.length)
    return target.same_length(record.offset, record.length, text)


def _cut_line(target: Target, record: Record) -> SpanEdit:
    """With the line end after it, if it has one: that before belongs to another record."""
    end = target.after_line(record)
    return SpanEdit(target.path, record.offset, end - record.offset, ())


def _ends_file(target: Target, record: Record) -> bool:
    return target.after_line(record) == len(target.data)


def _cost(target: Target, record: Record, last: bool) -> str:
    if not record.sent:
        return "envelope"
    return "cut" if last else "payload"
