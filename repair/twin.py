"""A file once more, with the edits of a plan and another id in it, as stretches of what lies there.

Nothing of a long file is repeated in the plan: an id that stands in a million lines is one swap.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from suture.model.edit import Copy, SpanEdit, Swap
from suture.repair.layout import Patch, size
from suture.repair.patches import merge

Part = bytes | Copy | Swap


def parts(
    original: memoryview, patches: Sequence[Patch], at: Sequence[int], old: bytes, new: bytes
) -> tuple[Part, ...]:
    """`at`: offsets in the patched file, in order, where `old` becomes `new`, which is as long."""
    starts = [start for start, _ in _pieces(original, patches)]
    edits = [
        (SpanEdit("", offset, len(old), (new,)), 0)
        for offset in at
        if bisect_right(starts, offset) != bisect_right(starts, offset + len(old) - 1)
    ]
    if edits:  # half in what stays, half in what an edit puts there
        patches, _ = merge(original, patches, edits)
        done = {edit.offset for edit, _ in edits}
        at = [offset for offset in at if offset not in done]
    made: list[Part] = []
    for start, piece in _pieces(original, patches):
        low, high = bisect_left(at, start), bisect_left(at, start + size((piece,)))
        mine = [offset - start for offset in at[low:high]]
        if isinstance(piece, bytes):
            made.append(_replaced(piece, mine, old, new))
        else:
            made += _swaps(original, piece, mine, old, new)
    return tuple(made)


def _pieces(original: memoryview, patches: Sequence[Patch]) -> Iterator[tuple[int, bytes | Copy]]:
    """The patched file, each stretch with its offset there."""
    start = position = 0
    for patch in [*patches, Patch(len(original), 0, (), 0)]:
        for piece in (Copy(position, patch.offset - position), *patch.after):
            if length := size((piece,)):
                yield start, piece
                start += length
        position = patch.end


def _replaced(piece: bytes, at: Sequence[int], old: bytes, new: bytes) -> bytes:
    for offset in at:
        piece = piece[:offset] + new + piece[offset + len(old) :]
    return piece


def _swaps(
    original: memoryview, piece: Copy, at: Sequence[int], old: bytes, new: bytes
) -> Iterator[Part]:
    """Where the same bytes stand for something else, the stretch is parted and they are kept."""
    if not at:
        yield piece
        return
    data = original[piece.offset : piece.offset + piece.length]
    wanted = set(at)
    holders = (found.start() for found in re.finditer(re.escape(old), data))
    low = 0
    for high in (*(offset for offset in holders if offset not in wanted), piece.length):
        count = bisect_left(at, high) - bisect_left(at, low)
        if count:
            yield Swap(piece.offset + low, high - low, old, new, count)
        elif high > low:
            yield Copy(piece.offset + low, high - low)
        if high < piece.length:
            yield Copy(piece.offset + high, len(old))
        low = high + len(old)
