"""The `-wal`: commits that SQLite does not see, because a frame before them is damaged.

SQLite reads up to the first frame whose salts or checksum do not fit, and says nothing of what
comes after. Frames of an earlier life of the log, with other salts, and the tail of a transaction
that never was committed are as they should be.
"""

import mmap
import struct
from pathlib import Path

from msgspec import Struct

_HEADER, _FRAME = 32, 24
_BIG = 0x377F0683
_MAGICS = (0x377F0682, _BIG)
_PAGE_SIZES = {1 << bits for bits in range(9, 17)}

Sums = tuple[int, int]


class Log(Struct, frozen=True):
    """Frames after those that SQLite takes; `pages` holds what can be won from them."""

    frames: int = 0  # of this life of the log
    commits: int = 0
    pages: dict[int, int] | None = None  # page → offset of its newest content that verifies
    page_count: int = 0  # of the database after the last of these commits
    lost: frozenset[int] = frozenset()  # pages whose newest content does not verify
    header: bool = True  # its own checksum fits
    main: bool = True  # the database file itself holds something

    @property
    def is_broken(self) -> bool:
        return self.commits > 0


def read_log(path: Path, page_size: int, taken: int) -> Log:
    """`taken`: how many frames SQLite takes, up to a commit."""
    data = _mapped(path)
    size = page_size + _FRAME
    count = (len(data) - _HEADER) // size if len(data) > _HEADER else 0
    if count <= taken:
        return Log()
    magic = _number(data, 0)
    orders = ["<", ">"] if magic not in _MAGICS else [">" if magic == _BIG else "<"]
    salts = _salts(data, size)
    mine = [i for i in range(taken, count) if _salt(data, size, i) == salts]
    if not mine:
        return Log()
    order = next((o for o in orders if _verifies(data, size, mine[-1], o)), orders[0])
    good = [i for i in mine if _verifies(data, size, i, order)]
    if mine[-1] not in good:
        mine.pop()  # half of a write, as a kill leaves it
    commits = [i for i in mine if _number(data, _HEADER + i * size + 4)]
    complete = [i for i in commits if i in set(good)]
    if not commits:
        return Log()
    header = magic in _MAGICS and _sums(data[:24], order, (0, 0)) == _stored(data, 24)
    if not complete:
        return Log(len(mine), len(commits), header=header)
    frames = [i for i in mine if i <= complete[-1]]
    pages, lost = _newest(data, size, frames, set(good))
    if len(frames) < complete[-1] + 1 - taken:
        lost |= {0}  # a frame that does not even say which page it holds
    last = _number(data, _HEADER + complete[-1] * size + 4)
    return Log(len(mine), len(commits), pages, last, lost, header)


def page_size_of(path: Path) -> int | None:
    """As the log states it; None: there is no frame."""
    data = _mapped(path)
    size = _number(data, 8) if len(data) > _HEADER + _FRAME else 0
    return size if size in _PAGE_SIZES else None


def _mapped(path: Path) -> memoryview:
    if not path.exists() or not path.stat().st_size:
        return memoryview(b"")
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _newest(
    data: memoryview, size: int, frames: list[int], good: set[int]
) -> tuple[dict[int, int], frozenset[int]]:
    pages: dict[int, int] = {}
    lost: set[int] = set()
    for i in frames:
        start = _HEADER + i * size
        page = _number(data, start)
        if i in good:
            pages[page] = start + _FRAME
            lost.discard(page)
        else:
            lost.add(page)
    return pages, frozenset(lost)


def _salts(data: memoryview, size: int) -> bytes:
    stated = bytes(data[16:24])
    return stated if _salt(data, size, 0) == stated else _most(data, size, stated)


def _most(data: memoryview, size: int, stated: bytes) -> bytes:
    """The salts of the first frame, where no frame has those that the header states."""
    count = (len(data) - _HEADER) // size
    if any(_salt(data, size, i) == stated for i in range(count)):
        return stated
    return _salt(data, size, 0)


def _salt(data: memoryview, size: int, i: int) -> bytes:
    start = _HEADER + i * size + 8
    return bytes(data[start : start + 8])


def _verifies(data: memoryview, size: int, i: int, order: str) -> bool:
    """A checksum goes on from the one that is stored before it, whatever stands between."""
    start = _HEADER + i * size
    before = _stored(data, 24 if i == 0 else start - size + 16)
    sums = _sums(data[start : start + 8], order, before)
    sums = _sums(data[start + _FRAME : start + size], order, sums)
    return sums == _stored(data, start + 16)


def _sums(data: memoryview, order: str, sums: Sums) -> Sums:
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def _stored(data: memoryview, at: int) -> Sums:
    return _number(data, at), _number(data, at + 4)


def _number(data: memoryview, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


class Index(Struct, frozen=True):
    """What the `-shm` says of the log: it is written after each commit."""

    salts: bytes
    frames: int
    copied: int  # frames that a checkpoint has moved into the main file


def index_of(database: Path) -> Index | None:
    """None: there is none, or nothing that can be relied on.

    A connection in exclusive locking mode keeps the index in memory. When it ends, the log is in
    the main file and gone, and the `-shm` of those before is left as it was.
    """
    path = Path(f"{database}-shm")
    try:
        with path.open("rb") as file:
            data = file.read(136)
        settled = database.stat().st_mtime_ns > path.stat().st_mtime_ns
    except OSError:
        return None
    if settled and not Path(f"{database}-wal").exists():
        return None
    if len(data) < 136 or data[:48] != data[48:96] or not data[12]:
        return None
    (frames,) = struct.unpack_from("=I", data, 16)
    (copied,) = struct.unpack_from("=I", data, 96)
    return Index(data[32:40], frames, copied)


def missing_frames(index: Index | None, log: Path, taken: int) -> int:
    """Committed frames that the index counts and the log no longer has."""
    if index is None or index.copied > index.frames:
        return 0
    try:
        with log.open("rb") as file:
            header = file.read(_HEADER)
    except FileNotFoundError:
        header = b""
    if not header:
        return index.frames - index.copied
    return max(0, index.frames - taken) if header[16:24] == index.salts else 0
