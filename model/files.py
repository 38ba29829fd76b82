"""What a store reads through: the disk, or the disk with a plan's edits laid over it."""

import mmap
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from suture.model.condition import Condition

T = TypeVar("T")
_ROOM = 1 << 20  # records: some 100 bytes each


def give_back(data: memoryview, start: int, stop: int) -> None:
    """Pages of a mapped file that were read count as memory of ours until they are given back."""
    if isinstance(data.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if stop > first:
            data.obj.madvise(mmap.MADV_DONTNEED, first, stop - first)


class Memory:
    """What was read of files, for whoever asks again before one of them changes."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Any, int]] = {}

    def get(self, path: str) -> Any:
        """None: read it."""
        return self._read.get(path, (None,))[0]

    def keep(self, path: str, read: Any, records: int) -> None:
        if sum(size for _, size in self._read.values()) + records <= _ROOM:
            self._read[path] = (read, records)

    def forget(self, path: str) -> None:
        self._read.pop(path, None)


def remembered(
    memory: Memory | None, path: str, read: Callable[[], T], records: Callable[[T], int]
) -> T:
    """What is kept of a file, else what `read` makes of it, which is kept from now on."""
    if memory is None:
        return read()
    known: T | None = memory.get(path)
    if known is None:
        known = read()
        memory.keep(path, known, records(known))
    return known


class Files(Protocol):
    """Paths are as the user typed them. Reading never changes a byte, a time or a lock."""

    @property
    def memory(self) -> Memory | None:
        """None where everybody reads a file once."""
        ...

    def data(self, path: str) -> memoryview:
        """The bytes of a file; a `.zst` decoded. Raises OSError, and EOFError for a cut `.zst`."""
        ...

    def start(self, path: str, size: int) -> bytes:
        """The first bytes of it, as `data` has them. Raises as that does."""
        ...

    def plain_from(self, path: str) -> int | None:
        """Where the plain lines begin that stand behind the frames of a `.zst`, if any do."""
        ...

    def exists(self, path: str) -> bool: ...

    def listing(self, folder: str) -> Sequence[str]:
        """Sorted paths of what lies in a folder; empty when there is none."""
        ...

    def sqlite(self, path: str) -> sqlite3.Connection:
        """A connection to a private copy of the database with its WAL, to what can be read of it
        where it is damaged. Raises sqlite3.Error."""
        ...

    def condition(self, path: str) -> Condition:
        """Whether that copy is as a client would see it. Raises OSError and sqlite3.Error."""
        ...


class Writer(Struct, frozen=True):
    """A process that may still write, and how we know."""

    evidence: str  # one sentence: "session registry names live pid 4711"
    pid: int | None = None
