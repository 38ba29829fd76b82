"""LangGraph: the checkpoints that its savers keep. They are checked, never written."""

from collections.abc import Sequence

from suture.model.files import Files, Writer
from suture.model.unit import Unit
from suture.stores._sessions import one_each, source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores.langgraph.tables import NAME, shaped, stored, threads
from suture.stores.langgraph.view import View


def claims(head: Head) -> bool:
    return head.tables is not None and shaped(head.tables, head.path)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One for each thread, with the graphs inside its graph."""
    return one_each(NAME, threads, files, paths)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    with source(unit, sink) as found:
        for database, name in found.sessions(files, threads):
            for kept in stored(database, name):
                found.count += len(kept.checkpoints) + len(kept.writes)
                view = View(unit.index, sink.session_key(), unit.paths[0], kept, sink.full)
                sink.add_all(view.rows())


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
