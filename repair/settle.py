"""One unit from old to new and from new to old, from wherever it stands.

The journal knows what was there before the first byte of the store changes, so both ways can be
taken again after a kill at any point.
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from suture.model.errors import BadPlan, StaleStore
from suture.model.files import Writer
from suture.model.plan import UnitPlan
from suture.repair import change as file_change
from suture.repair import disk, same_rows, server_apply, sqlite_apply, staging
from suture.repair.book import Book, need_space
from suture.repair.change import Change, UnitState
from suture.repair.staging import Look
from suture.repair.verify import Seen, second_look

SIDES = ("-wal", "-journal")  # of a database


class Checks(Struct, frozen=True):
    """What only the stores and the rules can say."""

    writers: Callable[[UnitPlan], list[Writer]]
    recheck: Callable[[UnitPlan], Sequence[str]]  # fingerprints found on the disk
    recheck_rows: Callable[[UnitPlan, sqlite3.Connection], Sequence[str]]
    force_live: bool = False
    tables: server_apply.Tables = lambda unit, columns: {}  # of its store, on a server
    rebuild: Callable[[str], str | None] = lambda _: None  # copy of a database → path of a new one
    force_network: bool = False


def prepare(book: Book, unit: UnitPlan, index: int) -> UnitState:
    """Keep all that will go. The store is not touched."""
    if server_apply.serves(unit):
        return server_apply.prepare(book, unit, index)
    state = UnitState(index, unit.unit, "prepared", file_change.changes(unit, index, book.id))
    size = sum(staging.save_size(change, unit) for change in state.changes)
    if any(change.is_rebuilt(unit) for change in state.changes):
        size *= 3  # what is kept is copied and read, and the new file is made beside that
    need_space(book.folder, size)
    for change in state.changes:
        staging.save(change, unit, book.saved(change.saved))
        if change.database and unit.sources[change.source].path not in unit.paths:
            _keep_whole(book, change.path)
    return book.write(state)


def _keep_whole(book: Book, path: str) -> None:
    """A database that many units share, with its log, as it was before the first of them."""
    copy = book.saved(f"{sha256(os.fsencode(path)).hexdigest()[:8]}-{Path(path).name}")
    if not Path(copy).exists():
        sqlite_apply.keep_whole(path, copy)


def advance(
    book: Book, unit: UnitPlan, state: UnitState, checks: Checks, seen: Seen | None
) -> UnitState:
    """Make everything new. `seen` None: some of it may be new already, after a kill."""
    if server_apply.serves(unit):
        fresh = seen is not None
        return server_apply.advance(book, unit, state, checks.recheck_rows, checks.tables, fresh)
    looks = {c.source: Look.OLD if seen else _look(book, c) for c in state.changes}
    _need_known(state, looks)
    if seen is None:
        clean(state)
    pending = [c for c in state.changes if looks[c.source] is not Look.NEW]
    _need_space(pending)
    for change in pending:
        if change.database or looks[change.source] is not Look.OLD:
            continue
        if change.is_rebuilt(unit):
            _stage_database(book, unit, state, change, checks)
        else:
            staging.stage_new(change, unit, book.folder)
    if seen is not None:
        second_look(unit, seen)
    state = book.write(replace(state, status="committing"))
    for change in pending:
        if change.database:
            _commit_rows(book, unit, change, checks)
        elif looks[change.source] is Look.BETWEEN:
            disk.remove(change.path)
        else:
            staging.commit_new(change)
    if not _only_rows(unit):
        sqlite_apply.expect(checks.recheck(unit), unit.remaining)
    return book.write(replace(state, status="applied"))


def _stage_database(
    book: Book, unit: UnitPlan, state: UnitState, change: Change, checks: Checks
) -> None:
    """Make the new file from what the journal keeps: the logs may have gone already."""
    kept = {c.path: book.saved(c.saved) for c in state.changes}
    with disk.private_folder(book.folder) as private:
        for side in ("", *SIDES):
            if change.path + side in kept:
                disk.copy_file(kept[change.path + side], f"{private}/copy.db{side}")
        rebuilt = checks.rebuild(f"{private}/copy.db")
        if rebuilt is None:
            raise BadPlan(f"{change.path} is not damaged; plan again")
        staging.stage_new(change, unit, book.folder, rebuilt)
        same_rows.keep(book.saved(change.saved), rebuilt)


def _commit_rows(book: Book, unit: UnitPlan, change: Change, checks: Checks) -> None:
    def check(connection: sqlite3.Connection) -> None:
        sqlite_apply.expect(checks.recheck_rows(unit, connection), unit.remaining)

    edits = change.rows(unit)
    rows, stamp = sqlite_apply.rehearse(
        change.path, edits, book.folder, check if _only_rows(unit) else None
    )
    sqlite_apply.apply(change.path, edits, book.saved(change.saved), rows, stamp)


def _only_rows(unit: UnitPlan) -> bool:
    """Of one database: then the rules were run before COMMIT; else they need all of it."""
    touched = [
        file_change.is_database(unit, index)
        for index, source in enumerate(unit.sources)
        if file_change.edits_of(unit, index) or source.after_path != source.path
    ]
    return len(touched) == 1 and all(touched)


def retreat(
    book: Book, unit: UnitPlan, state: UnitState, status: str, why: str | None
) -> UnitState:
    """Make everything old, the last first: what lies between, a client survives."""
    if server_apply.serves(unit):
        return server_apply.retreat(book, unit, state, status, why)
    begun = () if state.status == "prepared" else state.changes  # else only staged
    looks = {change.source: _look(book, change) for change in begun}
    _need_known(state, looks)
    clean(state)
    if begun:
        state = book.write(replace(state, status="undoing"))
    try:
        for change in reversed(begun):
            _take_back(book, unit, change, looks[change.source])
    except BaseException:
        with suppress(OSError):  # the disk is full, or gone
            clean(state)
        raise
    return book.write(replace(state, status=status, reason=why))


def _take_back(book: Book, unit: UnitPlan, change: Change, found: Look) -> None:
    if change.database:
        sqlite_apply.undo(change.path, book.saved(change.saved))
    elif found is Look.NEW:
        staging.stage_old(change, unit, book.saved(change.saved))
        staging.commit_old(change)
    elif found is Look.BETWEEN:
        disk.remove(change.after_path)


def clean(state: UnitState) -> None:
    for change in state.changes:
        staging.clean(change)


def _look(book: Book, change: Change) -> Look:
    if not change.database:
        found, saved = staging.look(change), book.saved(change.saved)
        if found is Look.OTHER and same_rows.are_kept(change.path, saved, book.folder):
            return Look.NEW
        return found
    is_new = sqlite_apply.is_new(change.path, book.saved(change.saved))
    return Look.NEW if is_new else Look.OLD


def _need_known(state: UnitState, looks: dict[int, Look]) -> None:
    for change in state.changes:
        if looks.get(change.source) is Look.OTHER:
            raise StaleStore(f"{change.path} moved on since the repair; nothing was changed")


def _need_space(pending: Sequence[Change]) -> None:
    needed: dict[int, tuple[str, int]] = {}
    for change in pending:
        folder = os.path.dirname(change.path)  # noqa: PTH120
        while not os.path.isdir(folder):  # noqa: PTH112
            folder = os.path.dirname(folder)  # noqa: PTH120
        device = os.stat(folder).st_dev  # noqa: PTH116
        needed[device] = (folder, needed.get(device, ("", 0))[1] + change.after_size)
    for folder, size in needed.values():
        need_space(folder, size)
