"""The edits of one file, kept against its original bytes while rounds go on.

A round sees the file as patched so far and edits that; here its edits are carried back to the
original offsets. An edit that touches an earlier one is merged with it, and so are their steps.
"""

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
    before = pieces = list(laid_out(len(original), patches))
    kept = list(patches)
    merged: dict[int, int] = {}
    for edit, step in sorted(edits, key=lambda e: (e[0].offset, e[0].length), reverse=True):
        touched = [p for p in pieces if _touches(p, edit)]
        after = tuple(_carried(part, before, original) for part in edit.after)
        swallowed = [p.patch for p in touched if p.patch is not None]
        if not swallowed:
            piece = _home(pieces, edit.offset)
            kept.append(Patch(piece.origin + edit.offset - piece.start, edit.length, after, step))
            continue
        patch, steps = _swallow(original, touched, edit, after, step)
        for old in swallowed:
            kept.remove(old)
        kept.append(patch)
        pieces = _with(pieces, touched, patch)
        merged |= {old: patch.step for old in steps if old != patch.step}
    return tuple(sorted(kept, key=lambda p: (p.offset, p.length))), merged


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


def _home(pieces: Sequence[Piece], offset: int) -> Piece:
    return next(p for p in pieces if p.patch is None and p.start <= offset <= p.end)


def _carried(part: bytes | Copy, pieces: Sequence[Piece], original: memoryview) -> bytes | Copy:
    """A copy of patched bytes as a copy of original ones, or as the bytes themselves."""
    if not isinstance(part, Copy):
        return part
    end = part.offset + part.length
    for piece in pieces:
        if piece.patch is None and piece.start <= part.offset and end <= piece.end:
            return Copy(piece.origin + part.offset - piece.start, part.length)
    return b"".join(_slice(piece, part.offset, end, original) for piece in pieces)


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


def _with(pieces: list[Piece], touched: Sequence[Piece], patch: Patch) -> list[Piece]:
    """The pieces before the edit, which lie lower and keep their offsets; edits come from the
    highest offset down, so nothing above is looked at again."""
    first = touched[0]
    # by their order: a patch that only takes bytes out starts where the next piece starts
    kept = pieces[: next(i for i, piece in enumerate(pieces) if piece is first)]
    if first.patch is None and patch.offset > first.origin:
        kept.append(Piece(first.start, patch.offset - first.origin, first.origin, None))
        start = first.start + patch.offset - first.origin
    else:
        start = first.start
    return [*kept, Piece(start, size(patch.after), patch.offset, patch)]
