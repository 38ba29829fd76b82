"""One connection for many sessions of a database, and what of it is the same for all of them."""

import sqlite3
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from suture.model.files import Files
from suture.model.unit import Unit
from suture.stores._sink import Sink

T = TypeVar("T")


class Opened:
    """Opened when it is first asked. Both properties raise sqlite3.Error and OSError."""

    def __init__(self, files: Files, path: str) -> None:
        self.files, self.path = files, path
        self._known: dict[Hashable, Any] = {}

    @cached_property
    def connection(self) -> sqlite3.Connection:
        return self.files.sqlite(self.path)

    @cached_property
    def size(self) -> int:
        return len(self.files.data(self.path))

    def once(self, ask: Callable[[sqlite3.Connection], T], key: Hashable = None) -> T:
        """What is the same for all sessions. `key` names it, if the function is a new one."""
        key = key or ask
        if key not in self._known:
            self._known[key] = ask(self.connection)
        found: T = self._known[key]
        return found

    def close(self) -> None:
        if "connection" in self.__dict__:
            self.connection.close()


Read = Callable[[Unit, Opened, Sink], None]


def one_by_one(
    read: Read, units: Sequence[Unit], files: Files, sink: Sink, live: str | None
) -> None:
    """All of one database, each as if it was the only one."""
    opened = Opened(files, units[0].paths[0])
    try:
        for unit in units:
            sink.start(unit.index, live)
            read(unit, opened, sink)
    finally:
        opened.close()


def alone(read: Read, unit: Unit, files: Files, sink: Sink) -> None:
    opened = Opened(files, unit.paths[0])
    try:
        read(unit, opened, sink)
    finally:
        opened.close()
