"""A file with its edits put in, and the way back, without ever holding the file."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from suture.model.edit import BytesEdit, Copy, Part, Shift, Swap
from suture.model.errors import BadPlan, StaleStore
from suture.model.packed import decoded
from suture.repair import disk

CHUNK = 1 << 20
_DIGITS = 20  # of the longest number


class Saved(Struct, frozen=True):
    """Bytes that an edit took out, by their place in the file that keeps them all."""

    offset: int
    length: int


def ordered(edits: Iterable[BytesEdit]) -> list[BytesEdit]:
    """By place; an insertion comes before what replaces the bytes behind it."""
    return sorted(edits, key=lambda edit: (edit.offset, edit.length))


def check_layout(edits: Iterable[BytesEdit], size: int | None) -> None:
    """Refuse edits that overlap or reach beyond the file (`size` None: not known yet)."""
    end = 0
    for edit in ordered(edits):
        if edit.offset < end:
            raise BadPlan(f"edits overlap at byte {edit.offset} of {edit.path}")
        end = edit.offset + edit.length
        copies = (part for part in edit.after if not isinstance(part, bytes))
        last = max([end, *(copy.offset + copy.length for copy in copies)])
        if size is not None and last > size:
            raise BadPlan(f"an edit reaches byte {last} of {edit.path}, which has {size}")


def after_size(edit: BytesEdit) -> int:
    return sum(size_made(part) for part in edit.after)


def size_made(part: Part) -> int:
    if isinstance(part, bytes):
        return len(part)
    return part.size if isinstance(part, Shift) else part.length


def removed(edits: Iterable[BytesEdit]) -> list[Copy]:
    """What the edits take out, in the order in which it is kept."""
    return [Copy(edit.offset, edit.length) for edit in ordered(edits)]


def forward(edits: Iterable[BytesEdit], size: int) -> Iterator[Part]:
    """The new file as stretches of the old one and new bytes."""
    at = 0
    for edit in ordered(edits):
        yield Copy(at, edit.offset - at)
        yield from edit.after
        at = edit.offset + edit.length
    yield Copy(at, size - at)


def backward(edits: Iterable[BytesEdit], size: int) -> Iterator[Copy | Saved]:
    """The old file, of `size` bytes, as stretches of the new one and of what was kept."""
    old = new = kept = 0
    for edit in ordered(edits):
        yield Copy(new, edit.offset - old)
        yield Saved(kept, edit.length)
        new += edit.offset - old + after_size(edit)
        old = edit.offset + edit.length
        kept += edit.length
    yield Copy(new, size - old)


def chunks(
    pieces: Iterable[Part | Saved], source: BinaryIO, saved: BinaryIO | None = None
) -> Iterator[bytes]:
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
        elif isinstance(piece, Copy):
            yield from _read(source, piece.offset, piece.length)
        elif isinstance(piece, Swap):
            yield from _swapped(_read(source, piece.offset, piece.length), piece)
        elif isinstance(piece, Shift):
            yield from _shifted(_read(source, piece.offset, piece.length), piece)
        else:
            assert saved is not None
            yield from _read(saved, piece.offset, piece.length)


def _swapped(stretch: Iterable[bytes], swap: Swap) -> Iterator[bytes]:
    held, found = b"", 0
    for chunk in stretch:
        data, at = held + chunk, 0
        while (place := data.find(swap.old, at)) >= 0:
            yield data[at:place] + swap.new
            at, found = place + len(swap.old), found + 1
        held = data[max(at, len(data) - len(swap.old) + 1) :]  # one may begin here
        yield data[at : len(data) - len(held)]
    yield held
    _expect(found, swap)


def _shifted(stretch: Iterable[bytes], shift: Shift) -> Iterator[bytes]:
    pattern = re.compile(re.escape(shift.key) + rb"(0|[1-9][0-9]*)")
    held, found = b"", 0
    for chunk, last in _marked(stretch):
        data, at = held + chunk, 0
        # what a number or a key may lie at the end of waits for the next chunk
        keep = len(data) if last else max(0, len(data) - len(shift.key) - _DIGITS)
        for number in pattern.finditer(data):
            if number.start() >= keep and not last:
                break
            yield data[at : number.start(1)] + b"%d" % (int(number[1]) + shift.by)
            at, found = number.end(), found + 1
        keep = max(at, keep)
        yield data[at:keep]
        held = data[keep:]
    _expect(found, shift)


def _marked(stretch: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each chunk, and whether it is the last."""
    before: bytes | None = None
    for chunk in stretch:
        if before is not None:
            yield before, False
        before = chunk
    if before is not None:
        yield before, True


def _expect(found: int, change: Swap | Shift) -> None:
    if found != change.count:
        raise BadPlan(f"{change.count:,} places were to be changed and {found:,} are there")


def _read(file: BinaryIO, offset: int, length: int) -> Iterator[bytes]:
    file.seek(offset)
    while length:
        chunk = file.read(min(CHUNK, length))
        if not chunk:
            raise StaleStore(f"{file.name} became shorter while it was read; plan again")
        length -= len(chunk)
        yield chunk


def check_before(edits: Sequence[BytesEdit], source: BinaryIO) -> None:
    """Every edit must find the bytes that it was planned to take out."""
    for edit in edits:
        if edit.before_sha256 is None:
            continue
        digest = sha256()
        for chunk in _read(source, edit.offset, edit.length):
            digest.update(chunk)
        if digest.hexdigest() != edit.before_sha256:
            raise StaleStore(
                f"{edit.path} holds other bytes at {edit.offset} than the plan says; plan again"
            )


def is_compressed(path: str) -> bool:
    return path.endswith(".zst")


@contextmanager
def opened(path: str, folder: str) -> Iterator[BinaryIO]:
    """The bytes that edits count in: a `.zst` decoded into a nameless file in `folder`."""
    if not is_compressed(path):
        with Path(path).open("rb") as plain:
            yield plain
        return
    with disk.scratch(folder) as plain, Path(path).open("rb") as packed:
        for chunk, _ in decoded(packed):
            plain.write(chunk)
        plain.flush()
        yield plain


def size_of(file: BinaryIO) -> int:
    return file.seek(0, 2)


def digest(paths: Iterable[str]) -> tuple[int, str]:
    """Size and sha256 of files, one after the other."""
    sha, size = sha256(), 0
    for path in paths:
        with Path(path).open("rb") as file:
            while chunk := file.read(CHUNK):
                sha.update(chunk)
                size += len(chunk)
    return size, sha.hexdigest()
