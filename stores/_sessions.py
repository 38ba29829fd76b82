"""Databases whose units are sessions: which there are, and what reading one says of its source."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from msgspec import Struct

from suture.model.files import Files
from suture.model.rows import SourceRow
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores._tables import text, unreadable

Names = Callable[[sqlite3.Connection], Sequence[str | None]]


def one_each(store: str, names: Names, files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session: a plan guards, skips and applies each on its own. `names` may begin
    with None, for what a database holds beside its sessions."""
    return [Unit(0, store, (path,), name) for path in paths for name in _named(names, files, path)]


def _named(names: Names, files: Files, path: str) -> Sequence[str | None]:
    try:
        with closing(files.sqlite(path)) as database:
            return names(database) or (None,)
    except (sqlite3.Error, OSError):
        return (None,)  # reading it says what is wrong


def named_in(database: sqlite3.Connection, sessions: str, messages: str) -> list[str]:
    """Every session that one of the two tables names."""
    database.text_factory = text
    sql = f"select id from {sessions} union select session_id from {messages} order by 1"
    return [str(name) for (name,) in database.execute(sql) if name is not None]


class Source(Struct):
    """Filled in while the database is read."""

    unit: Unit
    size: int | None = None
    count: int = 0  # records

    def sessions(
        self, files: Files, names: Callable[[sqlite3.Connection], Sequence[str]]
    ) -> Iterator[tuple[sqlite3.Connection, str]]:
        """The session of the unit, or all of them."""
        self.size = len(files.data(self.unit.paths[0]))
        with closing(files.sqlite(self.unit.paths[0])) as database:
            for name in names(database) if self.unit.session is None else [self.unit.session]:
                yield database, name


@contextmanager
def source(unit: Unit, sink: Sink) -> Iterator[Source]:
    """What goes wrong inside becomes damage, and what was read until then is counted."""
    found = Source(unit)
    try:
        yield found
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", unreadable(unit.index, unit.paths[0], error))
    sink.add(
        "source",
        SourceRow(unit.index, unit.store, unit.paths[0], "sqlite", found.size, found.count),
    )
