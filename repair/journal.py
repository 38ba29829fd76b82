"""What an apply is about to do and what it took out, kept until it is pruned.

One folder an apply: `plan.json` as it was given, `journal.json`, one file a unit in `units/` with
how far it got, and in `before/` the bytes and rows that left the store.
"""

import fcntl
import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import filelock
import msgspec
import platformdirs

from suture.model.edit import Edit, FileEdit, RowEdit, SpanEdit
from suture.model.errors import ApplyFailed, LiveWriter, NothingToRead
from suture.model.plan import Plan, Step, UnitPlan
from suture.repair import disk, plan_json, splice
from suture.repair.change import Change, UnitState
from suture.repair.codec import dumps, value_json

WAIT = 0.2  # seconds: a `check` holds the lock for a moment to see whether anybody else does
_BETWEEN = frozenset({"prepared", "committing", "undoing"})


@dataclass(frozen=True, slots=True)
class Book:
    """The journal of one apply while it is written."""

    folder: str
    id: str

    def saved(self, name: str) -> str:
        return f"{self.folder}/before/{name}"

    def write(self, state: UnitState) -> UnitState:
        data = dumps(msgspec.to_builtins(state))
        disk.replace_file(f"{self.folder}/units/{state.index:06}.json", data)
        return state

    def states(self) -> list[UnitState]:
        files = sorted(Path(self.folder, "units").glob("*.json"))
        return [msgspec.convert(_json(file), UnitState) for file in files]

    def state(self, index: int) -> UnitState | None:
        file = Path(self.folder, "units", f"{index:06}.json")
        return msgspec.convert(_json(file), UnitState) if file.exists() else None

    def forget(self, index: int) -> None:
        """Give back the room of before-images that were not needed."""
        for file in Path(self.folder, "before").glob(f"{index:06}-*"):
            disk.remove(str(file))

    def plan_bytes(self) -> bytes:
        return Path(self.folder, "plan.json").read_bytes()

    def plan(self) -> Plan:
        return plan_json.load(self.plan_bytes())

    def head(self) -> "Head":
        return msgspec.convert(_json(Path(self.folder, "journal.json")), Head)

    def write_head(self, head: "Head") -> None:
        disk.replace_file(f"{self.folder}/journal.json", dumps(msgspec.to_builtins(head)))

    def close(self) -> None:
        head = self.head()
        if head.open:
            self.write_head(replace(head, open=False))


@dataclass(frozen=True, slots=True)
class Head:
    suture: str
    created: str  # the only place that says when
    units: int
    all_or_none: bool
    open: bool  # False once every unit was tried


@dataclass(frozen=True, slots=True)
class Entry:
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


def root(journal: Path | None) -> Path:
    """The folder of all journals; never beside a store, whose client may list what lies there."""
    if journal is not None:
        return journal.absolute()
    if named := os.environ.get("SUTURE_JOURNAL"):
        return Path(named).absolute()
    return Path(platformdirs.user_state_dir("suture", appauthor=False)) / "journal"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the journals for one apply or undo at a time."""
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


def begin(folder: Path, plan: Plan, plan_bytes: bytes, all_or_none: bool) -> Book:
    """A new journal. Nothing was changed before this returns."""
    now = datetime.now(UTC)
    book = _new_folder(folder, now)
    need_space(str(folder), 2 * len(plan_bytes) + (1 << 16))
    disk.write_file(f"{book.folder}/plan.json", [plan_bytes])
    disk.make_folder(f"{book.folder}/units", 0o700)
    disk.make_folder(f"{book.folder}/before", 0o700)
    book.write_head(Head(plan.suture, now.isoformat(), len(plan.units), all_or_none, open=True))
    return book


def _new_folder(folder: Path, now: datetime) -> Book:
    while True:
        name = f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
        try:
            disk.make_folder(f"{folder}/{name}", 0o700)
        except FileExistsError:
            continue
        return Book(f"{folder}/{name}", name)


def need_space(folder: str, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise ApplyFailed(f"{size:,} bytes are needed in {folder}, {free:,} are free")


def open_book(folder: Path, id: str) -> Book:
    found = Book(f"{folder}/{id}", id)
    if "/" in id or not Path(found.folder, "journal.json").is_file():
        raise NothingToRead(f"no journal {id} in {folder}")
    return found


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


def extract(journal: Path | None, id: str, step: int) -> bytes:
    """What one step took out: bytes as they were, rows as JSON."""
    found = open_book(root(journal), id)
    unit, index, chosen = _step(found.plan(), step)
    state = next((s for s in found.states() if s.index == index), None)
    if state is None or state.status == "rolled_back":
        raise NothingToRead(f"step {step} was not applied")
    return b"".join(_taken(found, unit, state, edit) for edit in chosen.edits)


def _step(plan: Plan, number: int) -> tuple[UnitPlan, int, Step]:
    count = 0
    for index, unit in enumerate(plan.units):
        if count < number <= count + len(unit.steps):
            return unit, index, unit.steps[number - count - 1]
        count += len(unit.steps)
    raise NothingToRead(f"the plan has no step {number}, it has {count}")


def _taken(book: Book, unit: UnitPlan, state: UnitState, edit: Edit) -> bytes:
    if isinstance(edit, RowEdit):
        row = edit.before or {}
        line = {"table": edit.table, "row": {name: value_json(v) for name, v in row.items()}}
        return b"" if edit.before is None else dumps(line)
    change = next(c for c in state.changes if unit.sources[c.source].path == edit.path)
    if change.before is None:
        return b""
    saved = book.saved(change.saved)
    if isinstance(edit, FileEdit):
        return Path(saved).read_bytes()
    return _removed(book, unit, change, edit, saved)


def _removed(book: Book, unit: UnitPlan, change: Change, edit: SpanEdit, saved: str) -> bytes:
    if change.whole:
        with splice.opened(saved, book.folder) as file:
            return b"".join(splice.chunks(splice.removed([edit]), file))
    spans = splice.ordered(change.spans(unit))
    offset = sum(e.length for e in spans[: spans.index(edit)])
    with Path(saved).open("rb") as file:
        return b"".join(splice.chunks([splice.Saved(offset, edit.length)], file, file))


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def supported() -> None:
    if sys.platform not in {"linux", "darwin"}:
        raise ApplyFailed(
            f"suture repairs on Linux and macOS; on {sys.platform} it checks, plans and exports"
        )
