"""The physical state of a private copy, and a new file with its rows where that is damaged."""

import mmap
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from suture.model.condition import SOUND, Condition, Fault, TableLoss
from suture.stores.sqlite import fresh
from suture.stores.sqlite.integrity import Complaint, complaints
from suture.stores.sqlite.log import Index, Log, missing_frames, page_size_of, read_log
from suture.stores.sqlite.losses import losses
from suture.stores.sqlite.pages import pages_of
from suture.stores.sqlite.salvage import Salvage, salvage
from suture.stores.sqlite.undo_log import read_undo_log
from suture.stores.sqlite.words import log_faults, table_faults, undo_faults

NEW = "recovered.db"  # beside the copy
_KEPT = "broken.log"


def examine(copy: Path, index: Index | None) -> Condition:
    """`copy` lies in a folder of its own with its `-wal` and `-journal`, and is left settled:
    whatever they held is in it. `index`: what the `-shm` of the original said."""
    found = _examined(copy, index, pages=True)
    assert found is not None
    return found


def examine_logs(copy: Path, index: Index | None) -> Condition | None:
    """The same; None where nothing but the pages of the main file is left to look at, which takes
    longer than all the rest: `is_sound` does."""
    return _examined(copy, index, pages=False)


def _examined(copy: Path, index: Index | None, pages: bool) -> Condition | None:
    undo = read_undo_log(Path(f"{copy}-journal"))
    faults = list(undo_faults(undo))
    try:
        log, missing = _without_main(copy), 0
        if log is None:
            with closing(_open(copy)) as database:
                log, missing = _settle(database, copy, index)
        faults += log_faults(log, missing)
        if log.pages:
            _replay(copy, log)
        elif not (pages or faults):
            return None
        in_wal_mode = _bytes(copy, 18, 1) == b"\2"
        with closing(_open(copy)) as database:
            return _judged(database, copy, log, faults, in_wal_mode)
    except sqlite3.Error:
        return Condition(tuple(faults))  # no database at all: whoever opens it says so


def is_sound(copy: Path) -> bool:
    """Of a settled copy without faults, whether its pages are well too."""
    try:
        with closing(_open(copy)) as database:
            return not complaints(database, pages_of(_mapped(copy)))
    except sqlite3.Error:
        return False


def _open(copy: Path) -> sqlite3.Connection:
    database = sqlite3.connect(copy, isolation_level=None)
    # without it nothing is read of a file that was cut, or whose schema has a damaged page
    database.execute("PRAGMA writable_schema = ON")
    return database


def _settle(database: sqlite3.Connection, copy: Path, index: Index | None) -> tuple[Log, int]:
    """Move the log into the main file, as far as SQLite takes it; returns what it leaves."""
    (size,) = database.execute("PRAGMA page_size").fetchone()
    _, taken, _ = database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    path = Path(f"{copy}-wal")
    log = read_log(path, size, max(taken, 0))
    if log.pages:
        path.rename(path.with_name(_KEPT))  # else it is gone when the last connection is closed
    return log, 0 if log.is_broken else missing_frames(index, path, max(taken, 0))


def _without_main(copy: Path) -> Log | None:
    """SQLite deletes the log of a file that is empty; all that was stored may stand in it."""
    path = Path(f"{copy}-wal")
    if copy.stat().st_size or (size := page_size_of(path)) is None:
        return None
    log = read_log(path, size, 0)
    if log.pages:
        path.rename(path.with_name(_KEPT))
    return replace(log, main=False)


def _replay(copy: Path, log: Log) -> None:
    """Put the pages of later commits where they belong."""
    assert log.pages is not None
    kept = copy.with_name(_KEPT)
    size = int.from_bytes(_bytes(copy, 16, 2), "big") or page_size_of(kept) or 0
    size = 65536 if size == 1 else size
    with kept.open("rb") as frames, copy.open("r+b") as main:
        for page, offset in log.pages.items():
            frames.seek(offset)
            main.seek((page - 1) * size)
            main.write(frames.read(size))
        main.truncate(log.page_count * size)
    kept.unlink()


def _judged(
    database: sqlite3.Connection, copy: Path, log: Log, faults: list[Fault], in_wal_mode: bool
) -> Condition:
    pages = pages_of(_mapped(copy))
    said = complaints(database, pages)
    if pages is None or not (said or log.pages):
        return Condition(tuple(faults)) if faults else SOUND
    target = copy.with_name(NEW)
    target.unlink(missing_ok=True)
    found = salvage(database, pages, _doubtful(said), target)
    lost = losses(database, found, said, target)
    with closing(sqlite3.connect(target)) as made:
        sound = not complaints(made, None)
    if in_wal_mode:
        fresh.use_log(target)
    faults += table_faults(said, found, lost)
    lossless = _is_lossless(said, found, lost, log)
    return Condition(tuple(faults), lost, lossless, str(target), sound)


def _mapped(copy: Path) -> memoryview:
    if not copy.stat().st_size:
        return memoryview(b"")
    with copy.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _bytes(copy: Path, at: int, length: int) -> bytes:
    with copy.open("rb") as file:
        file.seek(at)
        return file.read(length)


def _doubtful(said: Sequence[Complaint]) -> set[str] | None:
    """Tables whose own tree is damaged; None: any may be."""
    if any(complaint.table == "sqlite_master" for complaint in said):
        return None
    return {c.table for c in said if c.table is not None and c.index is None}


def _is_lossless(
    said: Sequence[Complaint], found: Salvage, lost: Sequence[TableLoss], log: Log
) -> bool:
    """Only what follows from the rows is damaged, and every row is in the new file."""
    return (
        not _doubtful(said)
        and _doubtful(said) is not None
        and not (found.failed or found.strays or log.is_broken)
        and not any(copied.holes or copied.refused for copied in found.tables.values())
        and all(one.lost == 0 for one in lost)
    )
