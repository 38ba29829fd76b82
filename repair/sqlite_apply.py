"""Row edits of one unit in one exclusive transaction, and the way back.

The edits are rehearsed on a private copy first, with the rules run over it: a plan that no longer
fits never opens the store, so the `-wal` that a crash left stays as evidence.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from suture.model.edit import RowEdit
from suture.model.errors import ApplyFailed, LiveWriter, StaleStore, SutureError
from suture.repair import disk, row_image
from suture.repair.codec import dumps
from suture.repair.row_image import Image, Scope
from suture.repair.rows import execute

TRIES = 3
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_TAILS = ("", "-wal", "-journal")

Stamp = tuple[tuple[int, int, int] | None, ...]


class Rows(Struct, frozen=True):
    """What the journal keeps of one repair."""

    scopes: tuple[Scope, ...]
    before: Image
    after: Image


def stamp(path: str) -> Stamp:
    """Only stat: closing a descriptor of the database would drop SQLite's own locks on it."""
    return tuple(_stat(path + tail) for tail in _TAILS)


def _stat(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None
    if not found.st_size:  # an empty log says nothing, and opening the database makes one
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def copied(path: str, folder: str) -> Iterator[tuple[sqlite3.Connection, Stamp]]:
    """A private copy of a database with what its log holds, and the state it was copied from."""
    with disk.private_folder(folder) as private:
        copy = f"{private}/copy.db"
        seen = _copy(path, copy)
        with translated(path), closing(_connect(copy)) as connection:
            yield connection, seen


def _copy(path: str, copy: str) -> Stamp:
    for _ in range(TRIES):
        seen = stamp(path)
        size = sum(part[1] for part in seen if part)
        if shutil.disk_usage(os.path.dirname(copy)).free < size:  # noqa: PTH120
            raise ApplyFailed(f"{size:,} bytes are needed for a copy of {path}, and are not free")
        for tail, part in zip(_TAILS, seen, strict=True):
            if part is None:
                Path(copy + tail).unlink(missing_ok=True)
            else:
                disk.copy_file(path + tail, copy + tail)
        if stamp(path) == seen:
            return seen
    raise LiveWriter(f"{path} changes while it is copied")


def keep_whole(path: str, copy: str) -> None:
    """Main file and logs together, so that a person can go back to them without suture."""
    staged = f"{copy}.part"
    _copy(path, staged)
    for tail in reversed(_TAILS):  # the main file last: it says that all of it is there
        if Path(staged + tail).exists():
            disk.sync_file(staged + tail)
            disk.rename(staged + tail, copy + tail)


def _connect(path: str) -> sqlite3.Connection:
    uri = Path(path).absolute().as_uri() + "?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


@contextmanager
def translated(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _BUSY:
            raise LiveWriter(f"{path} is locked by a process that has it open") from error
        raise ApplyFailed(f"{path}: {error}") from error


def rehearse(
    path: str,
    edits: Sequence[RowEdit],
    folder: str,
    check: Callable[[sqlite3.Connection], None] | None = None,
) -> tuple[Rows, Stamp]:
    """Do the edits on a copy. `check` looks at the committed copy and raises if it must."""
    with copied(path, folder) as (connection, seen):
        wanted = row_image.scopes(connection, edits)
        connection.execute("BEGIN")
        before = row_image.capture(connection, wanted)
        execute(connection, edits)
        after = row_image.capture(connection, wanted)
        connection.execute("COMMIT")
        if check is not None:
            check(connection)
    return Rows(wanted, before, after), seen


@contextmanager
def exclusive(path: str) -> Iterator[sqlite3.Connection]:
    """An open transaction that nobody else can look into; rolled back unless committed."""
    with translated(path), closing(_connect(path)) as connection:
        # Without it BEGIN EXCLUSIVE succeeds beside an idle client of a WAL database.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def apply(path: str, edits: Sequence[RowEdit], saved: str, expected: Rows, seen: Stamp) -> None:
    """The same edits on the store, if it still is what was copied."""
    had_frames = bool(seen[1] and seen[1][1])
    with exclusive(path) as connection:
        if seen[2] is None and stamp(path) != seen:
            raise StaleStore(f"{path} changed while it was checked; plan again")
        before = row_image.capture(connection, expected.scopes)
        if before.rows != expected.before.rows:
            raise StaleStore(f"{path} changed while it was checked; plan again")
        execute(connection, edits)
        after = row_image.capture(connection, expected.scopes)
        keep(saved, Rows(expected.scopes, before, after))
        disk.commit(connection)
        if not had_frames:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def keep(saved: str, rows: Rows) -> None:
    disk.replace_file(saved, dumps(msgspec.to_builtins(rows)))


def kept(saved: str) -> Rows | None:
    """What the journal holds; None when the transaction never came that far."""
    if not Path(saved).exists():
        return None
    return msgspec.convert(json.loads(Path(saved).read_bytes()), Rows)


def is_new(path: str, saved: str) -> bool:
    """Whether a transaction that may have been killed has happened. Raises if neither fits."""
    rows = kept(saved)
    if rows is None:
        return False
    with exclusive(path) as connection:
        return _state(connection, path, rows)


def _state(connection: sqlite3.Connection, path: str, rows: Rows) -> bool:
    found = row_image.capture(connection, rows.scopes).rows
    if found == rows.before.rows:
        return False
    if found != rows.after.rows:
        raise StaleStore(f"{path} moved on since the repair")
    return True


def undo(path: str, saved: str) -> None:
    rows = kept(saved)
    if rows is None:
        return
    with exclusive(path) as connection:
        if not _state(connection, path, rows):
            return
        row_image.restore(connection, rows.scopes, rows.before, rows.after)
        disk.commit(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def expect(found: Sequence[str], remaining: Sequence[str]) -> None:
    """After the repair exactly the findings that the plan leaves must be there."""
    if sorted(found) == sorted(remaining):
        return
    more = len(set(found) - set(remaining))
    fewer = len(set(remaining) - set(found))
    findings = "finding" if more == 1 else "findings"
    raise Unexpected(
        f"after the repair the check found {more} unplanned {findings}"
        f" and missed {fewer} that were expected"
    )


class Unexpected(SutureError):
    """The re-check did not find what the plan says."""

    exit_code = 5
