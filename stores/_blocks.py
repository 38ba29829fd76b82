"""A file cut at 0x0A, block by block: no byte is held longer than its block."""

import io
import mmap

from msgspec import Struct

BLOCK = 1 << 19  # a larger one, with its lines, does not stay in the cache of a core


class Block(Struct, frozen=True):
    """Whole lines. Each of `lines` ends in its LF, but for the last of a file that has none there
    and for one that is longer than a block."""

    text: bytes  # the same bytes in one piece
    lines: list[bytes]
    lengths: list[int]  # of the lines without their LF
    terminated: bool  # the last line has its LF


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
    stop = _cut(data, pos)
    if stop == pos:
        stop = line_stop(data, pos + BLOCK)
        text = bytes(data[pos:stop])
        return Block(text, [text], [len(text)], stop < len(data))
    whole = data.obj
    text = whole if isinstance(whole, bytes) and stop - pos == len(whole) else bytes(data[pos:stop])
    lines = io.BytesIO(text).readlines()  # four times as fast as split, which tests byte for byte
    return Block(text, lines, [length - 1 for length in map(len, lines)], True)


def _cut(data: memoryview, pos: int) -> int:
    """Where the last line starts of which less than all lies within a block."""
    last = min(pos + BLOCK, len(data))
    if isinstance(data.obj, bytes | mmap.mmap) and len(data.obj) == len(data):
        return max(pos, data.obj.rfind(b"\n", pos, last) + 1)
    return pos + bytes(data[pos:last]).rfind(b"\n") + 1
