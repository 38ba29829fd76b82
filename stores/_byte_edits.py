"""Operations on bytes as edits: the same for every store that is a file of lines."""

from suture.model.edit import SpanEdit
from suture.model.operation import Cut, Operation, Quarantine, Replace, Split
from suture.model.place import Span
from suture.stores._store import Translated


def byte_edits(path: str, data: memoryview, op: Operation) -> Translated | None:
    """None for an operation that is not about bytes of `path`."""
    if not isinstance(op, Cut | Quarantine | Split | Replace):
        return None
    place = op.place
    if not isinstance(place, Span) or place.path != path:
        return None
    if isinstance(op, Split):
        inserts = tuple(SpanEdit(path, at, 0, (b"\n",)) for at in sorted(set(op.at)))
        return Translated(inserts, "envelope")
    if isinstance(op, Replace):
        after = (op.after,) if op.after else ()
        return Translated((SpanEdit(path, place.offset, place.length, after),), "payload")
    length = place.length if isinstance(op, Cut) else _with_line_end(data, place)
    return Translated((SpanEdit(path, place.offset, length, ()),), "envelope")


def _with_line_end(data: memoryview, place: Span) -> int:
    """A whole line goes with its line end, part of a line leaves it where it is."""
    stop = place.offset + place.length
    if place.offset and data[place.offset - 1] != 0x0A:
        return place.length
    if bytes(data[stop : stop + 2]) == b"\r\n":
        stop += 1
    if bytes(data[stop : stop + 1]) == b"\n":
        stop += 1
    elif stop < len(data):
        return place.length
    return stop - place.offset
