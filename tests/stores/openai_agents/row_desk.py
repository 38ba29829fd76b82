"""A database on disk with edits laid over it, as a plan would, and what a store says of it."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from suture.model.operation import Operation
from suture.model.rows import TABLES
from suture.model.unit import Unit
from suture.repair.overlay import Overlay
from suture.stores import DiskFiles, Sink, Store

Tables = Mapping[str, list[dict[str, Any]]]


class Desk:
    def __init__(self, store: Store, path: Path, session: str | None) -> None:
        self.store, self.path = store, path
        self.unit = Unit(0, store.name, (str(path),), session)
        self.disk = DiskFiles()
        self.files = Overlay(self.disk)

    def units(self) -> list[str | None]:
        return [unit.session for unit in self.store.units(self.files, [str(self.path)])]

    def tables(self, full: bool = False) -> Tables:
        sink = Sink(full)
        sink.start(0, None)
        self.store.read(self.unit, self.files, sink)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        for name, table in sink.tables():
            found[name] += table.to_pylist()
        return found

    def repair(self, *operations: Operation) -> list[str]:
        """Lay the edits of one round over the database; returns the cache classes."""
        made = self.store.edits(self.unit, self.files, operations)
        assert len(made) == len(operations)
        self.files.add([(edit, 1) for translated in made for edit in translated.edits])
        return [translated.cache_class for translated in made]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(self.files.sqlite(str(self.path))) as database:
            return database.execute(sql).fetchall()


@contextmanager
def desk(store: Store, path: Path, script: str, session: str | None = "s1") -> Iterator[Desk]:
    write(path, script)
    opened = Desk(store, path, session)
    try:
        yield opened
    finally:
        opened.files.close()
        opened.disk.close()


def write(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
