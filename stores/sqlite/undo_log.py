"""The `-journal`: what a transaction that was cut off had changed, to be put back."""

from pathlib import Path

from msgspec import Struct

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_ALL = 0xFFFFFFFF  # as many records as the file has


class UndoLog(Struct, frozen=True):
    pages: int  # that SQLite puts back
    missing: int  # that it should, and cannot


def read_undo_log(path: Path) -> UndoLog | None:
    """None: nothing has to be put back."""
    try:
        data = memoryview(path.read_bytes())
    except FileNotFoundError:
        return None
    at = pages = missing = 0
    while bytes(data[at : at + 8]) == _MAGIC:
        count, nonce, _, sector, size = (_number(data, at + 8 + 4 * i) for i in range(5))
        at += sector
        if size < 512 or sector < 28:
            break
        room = (len(data) - at) // (size + 8)
        if count == _ALL:
            count = room
        good = 0
        while good < min(count, room) and _fits(data, at + good * (size + 8), size, nonce):
            good += 1
        pages, missing = pages + good, missing + count - good
        if missing:
            break  # SQLite stops here too
        at += count * (size + 8)
        at += -at % sector
    return UndoLog(pages, missing) if pages or missing else None


def _fits(data: memoryview, at: int, size: int, nonce: int) -> bool:
    start = at + 4
    total = nonce + sum(data[start + i] for i in range(size - 200, 0, -200))
    return total & 0xFFFFFFFF == _number(data, start + size)


def _number(data: memoryview, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")
