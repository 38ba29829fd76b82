"""OpenCode: a SQLite database with an event log, and the older tree of JSON files."""

from collections.abc import Sequence

from suture.model.files import Files, Writer
from suture.model.rows import SourceRow
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores._opened import Opened, alone, one_by_one
from suture.stores._sessions import one_each, source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores._tables import has_columns
from suture.stores.opencode import tree, whole
from suture.stores.opencode.database import NEEDED, session_ids, shape, stored
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import Stored
from suture.stores.opencode.view import fill


def claims(head: Head) -> bool:
    if head.tables is None:
        return tree.is_part_of_tree(head.path)
    return has_columns(head.tables, NEEDED)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each session, and one for what a database holds beside them."""
    databases = [path for path in paths if not tree.is_part_of_tree(path)]
    found = one_each("opencode", lambda database: [None, *session_ids(database)], files, databases)
    return found + tree.units(files, [path for path in paths if tree.is_part_of_tree(path)])


def read(unit: Unit, files: Files, sink: Sink) -> None:
    alone(_read, unit, files, sink)


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    one_by_one(_read, units, files, sink, live)


def _read(unit: Unit, database: Opened, sink: Sink) -> None:
    path = unit.paths[0]
    if tree.is_part_of_tree(path):
        _read_tree(unit, database.files, sink)
        return
    with source(unit, sink) as found:
        if unit.session is None:
            found.size = database.size
            for row in whole.damage(database.connection, unit.index, path):
                sink.add("damage", row)
        else:
            kept = stored(database.connection, path, unit.session, database.once(shape))
            found.count = sum(1 for _ in kept.rows()) + len(kept.events)
            _fill(unit, kept, sink)


def _fill(unit: Unit, kept: Stored, sink: Sink) -> None:
    session = Session(unit.index, sink.session_key(), kept, sink.live, sink.full)
    fill(session, sink)


def _read_tree(unit: Unit, files: Files, sink: Sink) -> None:
    kept = tree.stored(unit, files)
    _fill(unit, kept, sink)
    for item in kept.rows():
        size = item.number("size")
        sink.add("source", SourceRow(unit.index, "opencode", str(item.path), "json", size, 1))


def writers(unit: Unit) -> list[Writer]:
    """A file of the tree is open for the moment of its writing only."""
    path = unit.paths[0]
    return open_writers(path) if tree.is_part_of_tree(path) else database_writers(path)
