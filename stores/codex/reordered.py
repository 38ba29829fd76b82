"""Records in another order, or under other ordinals. Ordinals stay in the order of the file."""

from collections.abc import Sequence

from suture.model.edit import Copy, SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Move, Renumber
from suture.stores._json_span import span
from suture.stores._store import Translated
from suture.stores.codex.records import Record
from suture.stores.codex.target import Target

Parts = tuple[bytes | Copy, ...]


def move(target: Target, operation: Move) -> Translated:
    """Swap whole lines; in a paginated file each place keeps its ordinal."""
    record, after = target.record(operation.n), target.record(operation.after)
    if record.recovered or after.recovered or record.n == after.n:
        raise Unsupported(f"record {record.n} shares its line with other bytes")
    low, high = sorted((record.n, after.n))
    region = target.records[low : high + 1]
    if record.n < after.n:
        order = [*region[1:], record]
    else:
        region = region[1:]  # `after` itself stays
        order = [record, *region[:-1]]
    start, end = region[0].offset, target.after_line(region[-1])
    ordinals = [r.ordinal for r in region]
    if target.paginated and _digits(target, region) is None:
        raise Unsupported("ordinals are missing between the two records")
    parts: list[bytes | Copy] = []
    for position, moved in enumerate(order):
        number = ordinals[position] if target.paginated else None
        parts += _line(target, moved, number)
    return Translated((SpanEdit(target.path, start, end - start, tuple(parts)),), "payload")


def renumber(target: Target, operation: Renumber, numbered: bytearray) -> Translated:
    """Each record from `n` on gets the next ordinal; unnumbered ones are given theirs.

    `numbered`: a byte a record, set where the same batch has given one. The first of them is enough
    to tell a planner that this cannot be done beside that, and thousands of repairs end at the last
    record.
    """
    edits = []
    stated, shared = target.stated, target.may_be_shared
    for ordinal, n in enumerate(range(operation.n, len(stated)), operation.first):
        if stated[n] != ordinal:
            edits.append(_numbered(target, n, ordinal))
            if numbered[n] and not shared:
                return Translated((edits[-1],), "envelope")
            numbered[n] = 1
    moved = [edit.offset for edit in edits if edit.length != _size(edit)]
    if moved:
        target.moves(min(moved))
    return Translated(tuple(edits), "envelope")


def _numbered(target: Target, n: int, ordinal: int) -> SpanEdit:
    if n in target.records.recovered:
        raise Unsupported(f"record {n} shares its line with other bytes")
    found = target.ordinal_span(n)
    if found is not None:
        start, end = found
        return SpanEdit(target.path, start, end - start, (b"%d" % ordinal,))
    record = target.records[n]
    raw = target.raw(record)
    stamp = span(raw, ("timestamp",))
    if stamp is None:
        at = record.offset + raw.index(b"{") + 1
        return SpanEdit(target.path, at, 0, (b'"ordinal":%d,' % ordinal,))
    return SpanEdit(target.path, record.offset + stamp[1], 0, (b',"ordinal":%d' % ordinal,))


def _digits(target: Target, region: Sequence[Record]) -> list[tuple[int, int]] | None:
    spans = [span(target.raw(record), ("ordinal",)) for record in region]
    return None if None in spans else [found for found in spans if found is not None]


def _line(target: Target, record: Record, ordinal: int | None) -> Parts:
    offset, length = record.offset, record.length
    found = span(target.raw(record), ("ordinal",)) if ordinal is not None else None
    if found is None or record.ordinal == ordinal:
        return Copy(offset, length), b"\n"
    start, end = found
    head = Copy(offset, start)
    tail = Copy(offset + end, length - end)
    return tuple(
        part
        for part in (head, str(ordinal).encode(), tail, b"\n")
        if not isinstance(part, Copy) or part.length
    )


def _size(edit: SpanEdit) -> int:
    return sum(len(part) if isinstance(part, bytes) else part.length for part in edit.after)
