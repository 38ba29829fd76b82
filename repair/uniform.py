"""Many small edits that do the same, as one edit with a range.

A million records that get the next ordinal would be a million edits in the plan; so they are one
that says which number changes by how much, where that says exactly the same.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from suture.model.edit import BytesEdit, RangeEdit, Shift, SpanEdit, Swap

FEWEST = 16  # edits; fewer are easier to read one by one
_CONTEXT = 24  # bytes before an edit that tell it from the same bytes elsewhere


class Together(Struct, frozen=True):
    """The edits of one file that all steps make, by place."""

    edits: Sequence[SpanEdit]
    offsets: Sequence[int]

    @classmethod
    def of(cls, edits: Iterable[SpanEdit]) -> "Together":
        ordered = sorted(edits, key=_place)
        return cls(ordered, [edit.offset for edit in ordered])

    def between(self, start: int, stop: int) -> int:
        return bisect_left(self.offsets, stop) - bisect_left(self.offsets, start)


def folded(edits: Sequence[SpanEdit], original: memoryview, together: Together) -> list[BytesEdit]:
    """`edits` of one step in one file; `together`: these and those of other steps."""
    mine = Together.of(edits)
    made: list[BytesEdit] = []
    for run in _runs(mine, original, together):
        one = _one(run, original) if len(run) >= FEWEST else None
        if one is None or _meets(one, together.edits) != len(run):
            made += run
        else:
            made.append(one)
    return made


def _place(edit: SpanEdit) -> tuple[int, int]:
    return edit.offset, edit.length


def _meets(one: RangeEdit, edits: Sequence[SpanEdit]) -> int:
    """How many of the edits, which do not overlap, change a byte of the range."""
    first = bisect_right(edits, one.offset, key=lambda edit: edit.offset + edit.length)
    return bisect_left(edits, one.offset + one.length, key=lambda edit: edit.offset) - first


def _runs(mine: Together, original: memoryview, together: Together) -> Iterator[list[SpanEdit]]:
    """Edits of one kind that no edit of another step lies between."""
    run: list[SpanEdit] = []
    last: object = None
    for edit in mine.edits:
        kind = _kind(edit, original)
        if run and (kind is None or kind != last or _apart(run[-1], edit, mine, together)):
            yield run
            run = []
        run.append(edit)
        last = kind
    if run:
        yield run


def _apart(one: SpanEdit, two: SpanEdit, mine: Together, together: Together) -> bool:
    between = together.between(one.offset, two.offset)
    return between != mine.between(one.offset, two.offset)


def _kind(edit: SpanEdit, original: memoryview) -> object:
    """The same for edits that may be said as one; None for one that stands alone."""
    if len(edit.after) != 1 or not isinstance(edit.after[0], bytes) or not edit.length:
        return None
    before, after = bytes(original[edit.offset : edit.offset + edit.length]), edit.after[0]
    if _is_number(before) and _is_number(after):
        return int(after) - int(before)
    return (before, after) if len(before) == len(after) else None


def _is_number(text: bytes) -> bool:
    return len(text) < 20 and text.isdigit() and (text == b"0" or text[:1] != b"0")


def _one(run: Sequence[SpanEdit], original: memoryview) -> RangeEdit | None:
    key = _shared(run, original)
    start, last = run[0].offset - len(key), run[-1].offset + run[-1].length
    data = original[start:last]
    kind, places = _kind(run[0], original), [edit.offset - start for edit in run]
    if isinstance(kind, int):
        if not key or (last < len(original) and original[last : last + 1].tobytes().isdigit()):
            return None
        found = [m.start(1) for m in re.finditer(re.escape(key) + rb"(0|[1-9][0-9]*)", data)]
        size = len(data) + sum(_after(edit) - edit.length for edit in run)
        change: Shift | Swap = Shift(start, len(data), key, kind, len(run), size)
    else:
        assert isinstance(kind, tuple)
        before, after = kind
        found = [m.end() - len(before) for m in re.finditer(re.escape(key + before), data)]
        change = Swap(start, len(data), key + before, key + after, len(run))
    if found != places:
        return None
    return RangeEdit(run[0].path, start, len(data), change)


def _shared(run: Sequence[SpanEdit], original: memoryview) -> bytes:
    """What stands before each of the edits; not more than lies between two of them."""
    gaps = [b.offset - a.offset - a.length for a, b in pairwise(run)]
    room = min([_CONTEXT, run[0].offset, *gaps])
    texts = [bytes(original[edit.offset - room : edit.offset]) for edit in run]
    low, high = min(text[::-1] for text in texts), max(text[::-1] for text in texts)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=True)) if a != b), room)
    return texts[0][room - same :]


def _after(edit: SpanEdit) -> int:
    return sum(len(part) for part in edit.after if isinstance(part, bytes))
