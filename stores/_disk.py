"""The disk as a store sees it: read-only, `.zst` decoded, SQLite through a private copy."""

import mmap
import os
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from suture.model.address import is_server
from suture.model.condition import SOUND, Condition
from suture.stores._sqlite import examined_copy
from suture.stores._zstd import zstd

_MAP_FROM = 1 << 20  # smaller files are cheaper to read than to map


class DiskFiles:
    """Implements model.files.Files. Private copies live until `close`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="suture-")
        self._copies: dict[str, Path] = {}
        self._conditions: dict[str, Condition] = {}

    def add_copy(self, path: str, make: Callable[[Path], Path]) -> None:
        """Read a server from the private copy that `make` puts into an empty folder."""
        folder = Path(self._folder.name, str(len(self._copies)))
        folder.mkdir()
        self._copies[path] = make(folder)

    def data(self, path: str) -> memoryview:
        if is_server(path):
            return self.data(str(self.sqlite_copy(path)))
        if path.endswith(".zst"):
            with zstd.open(path) as stream:
                return memoryview(stream.read())
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _MAP_FROM:
                return memoryview(file.read())
            return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))

    def exists(self, path: str) -> bool:
        return is_server(path) or Path(path).exists()

    def listing(self, folder: str) -> Sequence[str]:
        try:
            return sorted(os.path.join(folder, name) for name in os.listdir(folder))  # noqa: PTH118, PTH208 (as typed)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def sqlite(self, path: str) -> sqlite3.Connection:
        return sqlite3.connect(self.sqlite_copy(path))

    def sqlite_copy(self, path: str) -> Path:
        """One private copy of the database with its WAL, made at the first call. Of a damaged
        one it is a new file with what can be read."""

        def make(folder: Path) -> Path:
            copy, self._conditions[path] = examined_copy(path, folder)
            return Path(self._conditions[path].file or copy)

        if path not in self._copies:
            self.add_copy(path, make)
        return self._copies[path]

    def condition(self, path: str) -> Condition:
        self.sqlite_copy(path)
        return self._conditions.get(path, SOUND)

    def close(self) -> None:
        self._folder.cleanup()
