"""A file cut at 0x0A, block by block: no byte is held longer than its block."""

import mmap
from dataclasses import dataclass

BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines without their LF. `text` is the same bytes with the LFs between them."""

    text: bytes
    lines: list[bytes]
    terminated: bool  # the last line has its LF


def give_back(data: memoryview, start: int, stop: int) -> None:
    """Pages of a mapped file that were read count as memory of ours until they are given back."""
    if isinstance(data.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if stop > first:
            data.obj.madvise(mmap.MADV_DONTNEED, first, stop - first)


def line_stop(data: memoryview, pos: int, step: int = BLOCK) -> int:
    """Where the LF of the line at `pos` stands; the end of the data if it has none."""
    size = len(data)
    while pos < size:
        found = bytes(data[pos : pos + step]).find(b"\n")
        if found >= 0:
            return pos + found
        pos += step
        step = min(step * 2, BLOCK)
    return size


def block_at(data: memoryview, pos: int) -> Block:
    """`pos` is the start of a line."""
    text = bytes(data[pos : pos + BLOCK])
    lines = text.split(b"\n")
    rest = lines.pop()
    if lines:
        return Block(text[: len(text) - len(rest)] if rest else text, lines, True)
    stop = line_stop(data, pos + len(text))
    text = bytes(data[pos:stop])
    return Block(text, [text], stop < len(data))
