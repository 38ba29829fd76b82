"""The edits of one file, kept against its original bytes while rounds go on.

A round sees the file as patched so far and edits that; here its edits are carried back to the
original offsets. An edit that touches an earlier one is merged with it, and so are their steps.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from suture.model.edit import Copy, SpanEdit


class Patch(Struct, frozen=True):
    offset: int  # in the original
    length: int
    after: tuple[bytes | Copy, ...]  # Copy: of the original
    step: int

    @property
    def end(self) -> int:
        return self.offset + self.length


class Piece(Struct, frozen=True):
    """A stretch of the patched file: original bytes, or what one patch put there."""

    start: int  # in the patched file
    length: int
    origin: int  # original offset of the bytes, or of the patch
    patch: Patch | None

    @property
    def end(self) -> int:
        return self.start + self.length


def size(after: Sequence[bytes | Copy]) -> int:
    return sum(part.length if isinstance(part, Copy) else len(part) for part in after)


def render(after: Sequence[bytes | Copy], original: memoryview) -> bytes:
    return b"".join(
        bytes(original[part.offset : part.offset + part.length]) if isinstance(part, Copy) else part
        for part in after
    )


def chunks(original: memoryview, patches: Sequence[Patch]) -> Iterator[bytes | memoryview]:
    """The patched file."""
    position = 0
    for patch in patches:
        yield original[position : patch.offset]
        yield render(patch.after, original)
        position = patch.end
    yield original[position:]


def patched_size(original: int, patches: Sequence[Patch]) -> int:
    return original + sum(size(patch.after) - patch.length for patch in patches)


def clash(one: SpanEdit, two: SpanEdit) -> bool:
    """Whether two edits of one round touch: their order would matter."""
    if one.path != two.path:
        return False
    if one.length == 0 and two.length == 0:
        return one.offset == two.offset
    return one.offset < two.offset + two.length and two.offset < one.offset + one.length


def merge(
    original: memoryview, patches: Sequence[Patch], edits: Sequence[tuple[SpanEdit, int]]
) -> tuple[tuple[Patch, ...], dict[int, int]]:
    """Add edits, given against the patched file with the number of their step.

    Returns the new patches and which step each swallowed step went into.
    """
    before = tuple(laid_out(len(original), patches))
    pieces = list(before)
    kept = list(patches)
    gone: set[int] = set()  # ids of patches that were swallowed
    merged: dict[int, int] = {}
    for edit, step in sorted(edits, key=lambda e: (e[0].offset, e[0].length), reverse=True):
        touched = [p for p in _near(pieces, edit.offset, edit.length) if _touches(p, edit)]
        after = tuple(_carried(part, before, original) for part in edit.after)
        swallowed = [p.patch for p in touched if p.patch is not None]
        if not swallowed:
            piece = _home(pieces, edit.offset)
            kept.append(Patch(piece.origin + edit.offset - piece.start, edit.length, after, step))
            continue
        patch, steps = _swallow(original, touched, edit, after, step)
        gone.update(map(id, swallowed))
        kept.append(patch)
        _put(pieces, touched, patch)
        merged |= {old: patch.step for old in steps if old != patch.step}
    stay = [patch for patch in kept if id(patch) not in gone]
    return tuple(sorted(stay, key=lambda p: (p.offset, p.length))), merged


def laid_out(original: int, patches: Sequence[Patch]) -> Iterator[Piece]:
    position = start = 0
    for patch in patches:
        if patch.offset > position:
            yield Piece(start, patch.offset - position, position, None)
            start += patch.offset - position
        length = size(patch.after)
        yield Piece(start, length, patch.offset, patch)
        start += length
        position = patch.end
    yield Piece(start, original - position, position, None)


def _touches(piece: Piece, edit: SpanEdit) -> bool:
    end = edit.offset + edit.length
    if piece.patch is None:
        return piece.start < end and edit.offset < piece.end
    return piece.start <= end and edit.offset <= piece.end


def _near(pieces: Sequence[Piece], offset: int, length: int) -> Iterator[Piece]:
    """Those that hold a byte of the stretch, or end or start at one of its ends."""
    at = bisect_left(pieces, offset, key=lambda piece: piece.end)
    while at < len(pieces) and pieces[at].start <= offset + length:
        yield pieces[at]
        at += 1


def _home(pieces: Sequence[Piece], offset: int) -> Piece:
    return next(piece for piece in _near(pieces, offset, 0) if piece.patch is None)


def _carried(part: bytes | Copy, pieces: Sequence[Piece], original: memoryview) -> bytes | Copy:
    """A copy of patched bytes as a copy of original ones, or as the bytes themselves."""
    if not isinstance(part, Copy):
        return part
    end = part.offset + part.length
    near = list(_near(pieces, part.offset, part.length))
    for piece in near:
        if piece.patch is None and piece.start <= part.offset and end <= piece.end:
            return Copy(piece.origin + part.offset - piece.start, part.length)
    return b"".join(_slice(piece, part.offset, end, original) for piece in near)


def _slice(piece: Piece, start: int, end: int, original: memoryview) -> bytes:
    """What of the patched bytes [start, end) lies in the piece."""
    low, high = max(start, piece.start), min(end, piece.end)
    if low >= high:
        return b""
    if piece.patch is None:
        shift = piece.origin - piece.start
        return bytes(original[low + shift : high + shift])
    return render(piece.patch.after, original)[low - piece.start : high - piece.start]


def _swallow(
    original: memoryview,
    touched: Sequence[Piece],
    edit: SpanEdit,
    after: tuple[bytes | Copy, ...],
    step: int,
) -> tuple[Patch, set[int]]:
    first, last = touched[0], touched[-1]
    end = edit.offset + edit.length
    head = b"" if first.patch is None else _slice(first, first.start, edit.offset, original)
    tail = b"" if last.patch is None else _slice(last, end, last.end, original)
    low = first.origin if first.patch else first.origin + edit.offset - first.start
    high = last.patch.end if last.patch else last.origin + end - last.start
    steps = {p.patch.step for p in touched if p.patch is not None} | {step}
    parts = tuple(part for part in (head, *after, tail) if part != b"")
    return Patch(low, high - low, parts, min(steps)), steps


def _put(pieces: list[Piece], touched: Sequence[Piece], patch: Patch) -> None:
    """Leaves the pieces before the edit, which lie lower and keep their offsets; edits come from
    the highest offset down, so nothing above is looked at again."""
    first = touched[0]
    while pieces.pop() is not first:
        pass
    start = first.start
    if first.patch is None and patch.offset > first.origin:
        pieces.append(Piece(start, patch.offset - first.origin, first.origin, None))
        start += patch.offset - first.origin
    pieces.append(Piece(start, size(patch.after), patch.offset, patch))
