"""A database as rows of the canonical tables."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from suture.model.files import Files, Writer
from suture.model.rows import SourceRow
from suture.model.unit import Unit
from suture.stores._sessions import one_each, source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores.laxcode.lines import Lines, lines, session_ids, shape
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.shape import Shape
from suture.stores.laxcode.tables import Tables

_TOGETHER = 256  # sessions whose rows are held at once


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return one_each("laxcode", _session_ids, files, paths)


def _session_ids(database: sqlite3.Connection) -> Sequence[str]:
    return session_ids(database, shape(database))


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    with source(unit, sink) as told:
        told.size = len(files.data(path))
        with closing(files.sqlite(path)) as database:
            found = shape(database)
            named = [unit.session] if unit.session is not None else session_ids(database, found)
            for start in range(0, len(named), _TOGETHER):
                tables = Tables(sink, found, path, files)
                for one in lines(database, found, named[start : start + _TOGETHER]):
                    tables.add(Session(found, one, exact=sink.full))
                    told.count += len(one.raw)
                tables.flush()


def read_together(units: Sequence[Unit], files: Files, sink: Sink, live: str | None) -> None:
    """Sessions of one database, in the order of their names."""
    path = units[0].paths[0]
    try:
        size = len(files.data(path))
        found, kept = _lines(files, path, [str(unit.session) for unit in units])
    except (sqlite3.Error, OSError):  # not all of them need be hit by what is wrong
        for unit in units:
            sink.start(unit.index, live)
            read(unit, files, sink)
        return
    tables = Tables(sink, found, path, files)
    for unit, one in zip(units, kept, strict=True):
        sink.start(unit.index, live)
        tables.add(Session(found, one, exact=sink.full))
        sink.add("source", SourceRow(unit.index, "laxcode", path, "sqlite", size, len(one.raw)))
    tables.flush()


def _lines(files: Files, path: str, names: Sequence[str]) -> tuple[Shape, list[Lines]]:
    with closing(files.sqlite(path)) as database:
        found = shape(database)
        return found, list(lines(database, found, names))


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
