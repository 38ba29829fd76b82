"""What a store reads through: the disk, or the disk with a plan's edits laid over it."""

import sqlite3
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from suture.model.condition import Condition


class Files(Protocol):
    """Paths are as the user typed them. Reading never changes a byte, a time or a lock."""

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
