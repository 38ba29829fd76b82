"""Row edits of one unit in one transaction on a server, and the way back.

The session's row is locked first, every statement names the row as it was, the rules run over what
the transaction sees, and the journal has both images of each row before COMMIT is sent. So after a
broken connection the rows themselves say whether the server still did it.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from suture.model.address import is_server
from suture.model.edit import RowEdit
from suture.model.errors import ApplyFailed, BadPlan, StaleStore
from suture.model.plan import UnitPlan
from suture.repair import disk
from suture.repair.book import Book
from suture.repair.change import UnitState, edits_of
from suture.repair.codec import Json, dumps, value_from, value_json
from suture.repair.sqlite_apply import expect
from suture.servers import copying, rows
from suture.servers.connect import snapshot, transaction
from suture.servers.failures import Lost
from suture.servers.rows import Image
from suture.servers.server import Server

Recheck = Callable[[UnitPlan, sqlite3.Connection], Sequence[str]]
Tables = Callable[[UnitPlan, Mapping[str, frozenset[str]]], copying.Tables]


class Kept(Struct, frozen=True):
    """What the journal holds of one repair."""

    identity: str
    locked: str  # the table of sessions
    keys: tuple[dict[str, Json], ...]  # of the rows in it that were locked
    images: tuple[tuple[str, dict[str, Json] | None, dict[str, Json] | None], ...]


def serves(unit: UnitPlan) -> bool:
    """Whether a unit lies on a server; nothing else of it does not."""
    return bool(unit.paths) and is_server(unit.paths[0])


def prepare(book: Book, unit: UnitPlan, index: int) -> UnitState:
    return book.write(UnitState(index, unit.unit, "prepared", ()))


def advance(
    book: Book, unit: UnitPlan, state: UnitState, recheck: Recheck, tables: Tables, fresh: bool
) -> UnitState:
    """`fresh` False: it may be done already, after a kill."""
    saved = _saved(book, state)
    if fresh or not is_new(unit, saved):
        state = book.write(replace(state, status="committing"))
        try:
            _apply(unit, saved, book.folder, recheck, _tables(unit, tables))
        except Lost:
            if not is_new(unit, saved):
                raise
    return book.write(replace(state, status="applied"))


def _tables(unit: UnitPlan, tables: Tables) -> copying.Tables:
    """Asked before the transaction: the first thing that it sees must be the row that it locks."""
    with snapshot(unit.paths[0]) as server:
        return tables(unit, server.columns)


def _saved(book: Book, state: UnitState) -> str:
    return book.saved(f"{state.index:06}-00")


def _edits(unit: UnitPlan) -> list[RowEdit]:
    found = [edit for i in range(len(unit.sources)) for edit in edits_of(unit, i)]
    edits = [edit for edit in found if isinstance(edit, RowEdit)]
    return [edit for edit in edits if (edit.before, edit.after) != (None, None)]


def _apply(
    unit: UnitPlan, saved: str, folder: str, recheck: Recheck, tables: copying.Tables
) -> None:
    edits, head = _edits(unit), next(iter(tables), "")
    if foreign := {edit.table for edit in edits} - tables.keys():
        raise BadPlan(f"the plan changes {min(foreign)}, no table of {unit.store}; plan again")
    keys = list(rows.owners(edits, tables))
    disk.remove(saved)  # of an earlier try, which never came to COMMIT
    with transaction(unit.paths[0]) as server:
        rows.lock(server, head, keys)
        server.prepare()
        _same_database(unit, server)
        images = [rows.edit_row(server, edit) for edit in edits]
        sessions = () if unit.session is None else (unit.session,)
        with disk.private_folder(folder) as private:
            copy = copying.copy(server, Path(private, "copy.db"), copying.Wanted(tables, sessions))
            with closing(sqlite3.connect(copy)) as database:
                expect(recheck(unit, database), unit.remaining)
        _keep(saved, server.identity, head, keys, images)
        server.commit()


def _same_database(unit: UnitPlan, server: Server) -> None:
    (planned,) = {source.server for source in unit.sources}
    if planned != server.identity:
        raise StaleStore(
            f"{server.path} is {server.identity}, the plan was made from {planned}; plan again"
        )


def _keep(
    saved: str,
    identity: str,
    head: str,
    keys: Sequence[rows.Key],
    images: Sequence[Image],
) -> None:
    kept = Kept(
        identity,
        head,
        tuple({name: value_json(value) for name, value in key.items()} for key in keys),
        tuple((image.table, _json(image.before), _json(image.after)) for image in images),
    )
    disk.replace_file(saved, dumps(msgspec.to_builtins(kept)))


def _json(row: rows.Key | None) -> dict[str, Json] | None:
    return None if row is None else {name: value_json(value) for name, value in row.items()}


def _row(row: dict[str, Json] | None) -> rows.Row | None:
    return None if row is None else {name: value_from(value) for name, value in row.items()}


def _kept(saved: str) -> Kept | None:
    """None: the transaction never came to COMMIT."""
    if not Path(saved).exists():
        return None
    return msgspec.convert(json.loads(Path(saved).read_bytes()), Kept)


def is_new(unit: UnitPlan, saved: str) -> bool:
    """Whether a transaction that may have broken has happened. Raises if neither fits."""
    kept = _kept(saved)
    if kept is None:
        return False
    with _looking(unit, kept) as (server, images):
        return _state(server, images)


@contextmanager
def _looking(unit: UnitPlan, kept: Kept) -> Iterator[tuple[Server, list[Image]]]:
    """With the session locked: a COMMIT that is still under way comes before us, or never."""
    with transaction(unit.paths[0], "read committed") as server:
        keys = [{name: value_from(value) for name, value in key.items()} for key in kept.keys]
        rows.lock(server, kept.locked, keys)
        server.prepare()
        if server.identity != kept.identity:
            raise StaleStore(f"{server.path} is {server.identity}, not {kept.identity}")
        yield server, [Image(table, _row(old), _row(new)) for table, old, new in kept.images]


def _state(server: Server, images: Sequence[Image]) -> bool:
    if all(rows.is_at(server, image, image.after) for image in images):
        return True
    if all(rows.is_at(server, image, image.before) for image in images):
        return False
    raise StaleStore(f"{server.path} moved on since the repair")


def retreat(
    book: Book, unit: UnitPlan, state: UnitState, status: str, why: str | None
) -> UnitState:
    kept = _kept(_saved(book, state))
    if state.status != "prepared" and kept is not None:
        state = book.write(replace(state, status="undoing"))
        try:
            _undo(unit, kept)
        except Lost:
            if is_new(unit, _saved(book, state)):
                raise ApplyFailed(f"{unit.paths[0]}: the connection broke; undo again") from None
    return book.write(replace(state, status=status, reason=why))


def _undo(unit: UnitPlan, kept: Kept) -> None:
    with _looking(unit, kept) as (server, images):
        if not _state(server, images):
            return
        for image in reversed(images):
            rows.swap_back(server, image)
        if _state(server, images):
            raise ApplyFailed(f"{server.path}: the rows do not go back to what they were")
        server.commit()
