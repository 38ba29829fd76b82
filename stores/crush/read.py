"""Crush: sessions and messages in `crush.db`, the parts of a message as JSON."""

from collections.abc import Sequence
from pathlib import Path

from suture.model.files import Files, Writer
from suture.model.unit import Unit
from suture.stores._sessions import one_each, source
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Head
from suture.stores._tables import has_columns
from suture.stores.crush.lock import lock_holders
from suture.stores.crush.tables import NEEDED, session_ids, stored
from suture.stores.crush.view import rows


def claims(head: Head) -> bool:
    return head.tables is not None and has_columns(head.tables, NEEDED)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return one_each("crush", session_ids, files, paths)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    with source(unit, sink) as found:
        for database, name in found.sessions(files, session_ids):
            kept = stored(database, name)
            found.count += len(kept.messages)
            sink.add_all(rows(unit.index, sink.session_key(), unit.paths[0], kept, sink.full))


def writers(unit: Unit) -> list[Writer]:
    path = unit.paths[0]
    return [*database_writers(path), *lock_holders(Path(path).parent / "crush.lock")]
