"""The disk as a store sees it: read-only, `.zst` decoded, SQLite through a private copy."""

import copy
import mmap
import os
import sqlite3
import tempfile
from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Protocol

from suture.model.address import is_server
from suture.model.condition import SOUND, Condition
from suture.model.files import Memory
from suture.model.packed import decoded
from suture.stores._look import Look
from suture.stores._sqlite import examined_copy, settled_copy

_MAP_FROM = 1 << 20  # smaller files are cheaper to read than to map
_AHEAD_FROM = 16 << 20  # bytes of a database below which a process costs more than it saves


class Shared(Protocol):
    """A database that several processes can copy, each its share. Each makes a file in an empty
    folder."""

    @property
    def size(self) -> int: ...

    def whole(self, folder: Path) -> Path: ...

    def names(self, folder: Path) -> Path:
        """No more than which sessions there are, and what is of none."""
        ...

    def share(self, number: int, of: int, folder: Path) -> Path:
        """Of all sessions one in `of`, each with all its rows."""
        ...

    def close(self) -> None: ...


class DiskFiles:
    """Implements model.files.Files. Private copies live until `close`.

    `ahead`: the pages of a large database are looked at by a process of its own, and until it has
    ended they are taken for sound. Ask `as_assumed` before what was read is told.
    """

    def __init__(self, ahead: bool = False) -> None:
        self._ahead = ahead
        self._looks: list[Look] = []
        self._folder = tempfile.TemporaryDirectory(prefix="suture-")
        self._copies: MutableMapping[str, Path] = {}
        self._names: dict[str, Path] = {}
        self._shared: dict[str, Shared] = {}
        self._conditions: dict[str, Condition] = {}
        self._plain: dict[str, int] = {}
        self.memory: Memory | None = None  # whoever reads a file again puts one here

    def add_copy(self, path: str, make: Callable[[Path], Path]) -> None:
        """Read a server from the private copy that `make` puts into an empty folder."""
        self._copies[path] = make(self._empty())

    def add_shared(self, path: str, database: Shared) -> None:
        """Read a server from a copy that is made when it is asked for."""
        self._shared[path] = database
        self._names[path] = database.names(self._empty())

    def shared(self, path: str) -> Shared | None:
        return self._shared.get(path)

    def shared_databases(self) -> Sequence[tuple[str, Shared]]:
        return list(self._shared.items())

    def by_name(self) -> "DiskFiles":
        """The same files. Of shared databases that nobody has asked for as a whole, names only."""
        view = copy.copy(self)
        view._copies = ChainMap(self._copies, self._names)
        return view

    def _empty(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self._folder.name))

    def data(self, path: str) -> memoryview:
        if is_server(path):
            return self.data(str(self.sqlite_copy(path)))
        if path.endswith(".zst"):
            with Path(path).open("rb") as packed:
                pieces = list(decoded(packed))
            if any(plain for _, plain in pieces):
                self._plain[path] = sum(len(piece) for piece, plain in pieces if not plain)
            return memoryview(b"".join(piece for piece, _ in pieces))
        with open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            if size < _MAP_FROM:
                return memoryview(file.read())
            return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))

    def start(self, path: str, size: int) -> bytes:
        if is_server(path) or path.endswith(".zst"):
            return bytes(self.data(path)[:size])
        with open(path, "rb", buffering=0) as file:
            return file.read(size)

    def plain_from(self, path: str) -> int | None:
        if path.endswith(".zst") and path not in self._plain:
            self.data(path)
        return self._plain.get(path)

    def exists(self, path: str) -> bool:
        return is_server(path) or os.path.exists(path)

    def listing(self, folder: str) -> Sequence[str]:
        try:
            return sorted(os.path.join(folder, name) for name in os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def sqlite(self, path: str) -> sqlite3.Connection:
        return sqlite3.connect(self.sqlite_copy(path))

    def sqlite_copy(self, path: str) -> Path:
        """One private copy of the database with its WAL, made at the first call. Of a damaged
        one it is a new file with what can be read."""

        def make(folder: Path) -> Path:
            if self._ahead and Path(path).stat().st_size >= _AHEAD_FROM:
                copied, found = settled_copy(path, folder)
                if found is None:
                    self._looks.append(Look(copied))
                    return copied
                self._conditions[path] = found
            else:
                copied, self._conditions[path] = examined_copy(path, folder)
            return Path(self._conditions[path].file or copied)

        if path not in self._copies:
            self.add_copy(path, self._shared[path].whole if path in self._shared else make)
        return self._copies[path]

    def condition(self, path: str) -> Condition:
        self.sqlite_copy(path)
        return self._conditions.get(path, SOUND)

    def as_assumed(self) -> bool:
        """Waits for what is still being looked at."""
        return all(look.is_sound() for look in self._looks)

    def close(self) -> None:
        for look in self._looks:
            look.end()
        for database in self._shared.values():
            database.close()
        self._folder.cleanup()
