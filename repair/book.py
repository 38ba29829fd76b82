"""What an apply is about to do and what it took out, kept until it is pruned.

One folder an apply: `plan.json` as it was given, `journal.json`, one file a unit in `units/` with
how far it got, and in `before/` the bytes and rows that left the store.
"""

import json
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from suture.model.errors import ApplyFailed, NothingToRead
from suture.model.plan import Plan
from suture.repair import disk, plan_json
from suture.repair.change import UnitState
from suture.repair.codec import dumps


class Book(msgspec.Struct, frozen=True):
    """The journal of one apply while it is written."""

    folder: str
    id: str
    written: dict[int, UnitState] = msgspec.field(default_factory=dict)

    def saved(self, name: str) -> str:
        return f"{self.folder}/before/{name}"

    def write(self, state: UnitState) -> UnitState:
        data = dumps(msgspec.to_builtins(state))
        disk.replace_file(f"{self.folder}/units/{state.index:06}.json", data)
        self.written[state.index] = state
        return state

    def states(self) -> list[UnitState]:
        files = sorted(Path(self.folder, "units").glob("*.json"))
        return [msgspec.convert(_json(file), UnitState) for file in files]

    def state(self, index: int) -> UnitState | None:
        file = Path(self.folder, "units", f"{index:06}.json")
        return msgspec.convert(_json(file), UnitState) if file.exists() else None

    @property
    def lost(self) -> bool:
        """Somebody took the journal away while it was in use."""
        return not Path(self.folder, "journal.json").exists()

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


class Head(msgspec.Struct, frozen=True):
    suture: str
    created: str  # the only place that says when
    units: int
    all_or_none: bool
    open: bool  # False once every unit was tried


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


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes())
