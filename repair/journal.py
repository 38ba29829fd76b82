"""The journals of all applies: which there are, and one apply or undo at a time."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from suture.model.errors import ApplyFailed, LiveWriter, NothingToRead
from suture.repair import disk
from suture.repair.book import open_book
from suture.repair.change import UnitState
from suture.repair.journal_root import root

WAIT = 0.2  # seconds: a `check` holds the lock for a moment to see whether anybody else does
_BETWEEN = frozenset({"prepared", "committing", "undoing"})


class Entry(Struct, frozen=True):
    id: str
    created: datetime
    folder: Path
    open: bool
    units: tuple[UnitState, ...]  # those that were begun

    @property
    def unfinished(self) -> bool:
        return self.open or any(unit.status in _BETWEEN for unit in self.units)

    @property
    def status(self) -> str:
        if self.unfinished:
            return "unfinished"
        return ", ".join(sorted({unit.status for unit in self.units})) or "nothing changed"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the journals for one apply or undo at a time."""
    import filelock  # noqa: PLC0415  # what only looks for unfinished work does without

    make_root(folder)
    lock = filelock.FileLock(folder / "lock", timeout=WAIT, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise LiveWriter(
            f"another suture is applying or undoing with the journal {folder}"
        ) from None
    except OSError as error:
        raise ApplyFailed(f"the journal {folder} cannot be locked: {error.strerror}") from error
    try:
        for left in folder.glob(f"{disk.PRIVATE_FOLDER}*"):
            disk.remove_tree(str(left))
        yield
    finally:
        lock.release()


def make_root(folder: Path) -> None:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        for path in reversed(missing):
            disk.make_folder(str(path), 0o700)
    except OSError as error:
        raise ApplyFailed(
            f"the journal {folder} cannot be made: {error.strerror}; name another with --journal"
        ) from error


def entries(journal: Path | None) -> list[Entry]:
    """Oldest first. A folder whose apply was killed before it began is none."""
    folder = root(journal)
    heads = folder.glob("*/journal.json") if folder.is_dir() else []
    found = [show(journal, head.parent.name) for head in heads]
    return sorted(found, key=lambda entry: (entry.created, entry.id))


def show(journal: Path | None, id: str) -> Entry:
    folder = root(journal)
    found = open_book(folder, id)
    try:
        head, states = found.head(), found.states()
    except (ValueError, msgspec.ValidationError) as error:
        raise NothingToRead(f"the journal {id} in {folder} cannot be read: {error}") from error
    created = datetime.fromisoformat(head.created)
    return Entry(id, created, Path(found.folder), head.open, tuple(states))


def unfinished(journal: Path | None) -> list[Entry]:
    """What a kill left half done; not what another suture is doing at this moment."""
    found = [entry for entry in entries(journal) if entry.unfinished]
    return [] if found and _busy(root(journal)) else found


def _busy(folder: Path) -> bool:
    try:
        with (folder / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # no lock, or none that we may look at
    return False


def last(journal: Path | None) -> str:
    """The newest journal that holds something to undo."""
    for entry in reversed(entries(journal)):
        if entry.unfinished or any(unit.status == "applied" for unit in entry.units):
            return entry.id
    raise NothingToRead(f"no journal in {root(journal)} holds anything to undo")


def prune(journal: Path | None, older_than: timedelta, now: datetime | None = None) -> list[str]:
    """Remove old journals, never one that still has to be settled."""
    limit = (now or datetime.now(UTC)) - older_than
    with locked(root(journal)):
        gone = [e for e in entries(journal) if e.created < limit and not e.unfinished]
        for entry in gone:
            disk.remove_tree(str(entry.folder))
        for left in root(journal).glob("*Z-*/"):  # of applies that were killed before they began
            if not (left / "journal.json").exists():
                disk.remove_tree(str(left))
    return [entry.id for entry in gone]


def supported() -> None:
    if sys.platform not in {"linux", "darwin"}:
        raise ApplyFailed(
            f"suture repairs on Linux and macOS; on {sys.platform} it checks, plans and exports"
        )
