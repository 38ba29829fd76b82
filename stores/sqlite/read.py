"""The file below the sessions of a SQLite store: what is damaged, and the new one in its place."""

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from suture.model.condition import Condition
from suture.model.edit import DatabaseEdit, Edit, FileEdit
from suture.model.errors import Unsupported
from suture.model.files import Files, Writer
from suture.model.operation import Operation, Rebuild
from suture.model.rows import DamageRow
from suture.model.unit import FILE, Unit
from suture.stores._sink import Sink
from suture.stores._sqlite import database_writers
from suture.stores._store import Translated
from suture.stores._tables import has_columns, unreadable

SUPPORTS = {"Rebuild": "yes"}
DATABASE = "database"  # what Rebuild writes anew
EVERYTHING, READABLE = "every row", "what can be read"  # that the new file holds
_SIDES = ("-wal", "-journal", "-shm")
# Databases that a client keeps beside sessions which lie in files of their own.
_BESIDE: tuple[Mapping[str, frozenset[str]], ...] = (
    {"threads": frozenset({"rollout_path"})},
    {"thread_history_projection_state": frozenset({"next_rollout_byte_offset"})},
)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return [Unit(0, FILE, (path,)) for path in paths]


def damaged(files: Files, paths: Iterable[str]) -> list[Unit]:
    """Only those of which there is something to say."""
    return [unit for unit in units(files, list(paths)) if _has_faults(files, unit.paths[0])]


def _has_faults(files: Files, path: str) -> bool:
    try:
        return bool(files.condition(path).faults)
    except (sqlite3.Error, OSError):
        return False  # the store that reads it says what is wrong


def is_kept_beside(tables: Mapping[str, frozenset[str]]) -> bool:
    return any(has_columns(tables, shape) for shape in _BESIDE)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    try:
        condition = files.condition(path)
    except (sqlite3.Error, OSError) as error:
        sink.add("damage", unreadable(unit.index, path, error))
        return
    for fault in condition.faults:
        if fault.kind != "db_corrupt" and sink.live:
            continue  # its logs are at work
        row = DamageRow(unit.index, path, fault.kind, None, None, None, fault.detail)
        row = row._replace(field=fault.table, fixable=not fault.serious)
        sink.add("damage", row._replace(fill=_content(condition) if fault.serious else None))


def _content(condition: Condition) -> str | None:
    if not condition.is_damaged or not condition.sound:
        return None
    return EVERYTHING if condition.lossless else READABLE


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    path = unit.paths[0]
    condition = files.condition(path)
    for operation in operations:
        if not isinstance(operation, Rebuild) or operation.what != DATABASE:
            raise Unsupported("of the file as such nothing else can be changed")
    if not condition.is_damaged or not condition.sound:
        raise Unsupported("nothing can be read of it that a client does not read")
    # The logs go first: laid over the new file they would damage it. So does the -shm: it counts
    # frames of a log that is gone.
    made: list[Edit] = [*_without_logs(files, os.path.realpath(path))]
    made.append(DatabaseEdit(path, condition.losses))
    kind = "envelope" if condition.lossless else "cut"
    return [Translated(tuple(made), kind), *(Translated((), kind) for _ in operations[1:])]


def _without_logs(files: Files, path: str) -> list[FileEdit]:
    logs = [path + side for side in _SIDES if files.exists(path + side)]
    return [FileEdit(log, None, None, sha256(files.data(log)).hexdigest()) for log in logs]


def writers(unit: Unit) -> list[Writer]:
    return database_writers(unit.paths[0])
