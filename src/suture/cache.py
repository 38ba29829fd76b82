"""Which units need no second look: everything they were judged with is as it was at a clean check.

A unit is kept with the files it was read from, those it looked for, and the folders it listed. A
file is the same if size, inode and time of change are, or, since a fresh checkout changes those,
its content. One document holds all; another version, rule set or configuration starts a new one.
"""

import json
import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct, field

from suture import __version__, db, model, schemas, stores, validators
from suture.model.address import is_server
from suture.model.condition import Condition
from suture.model.files import Files
from suture.model.report import Unchanged
from suture.model.unit import Unit

_NAME = "check.json"
_SCHEMA = "suture.cache/1"
# A write within the grain of the clock leaves size and time as they are.
_SETTLED = 2_000_000_000
_SIDES = ("", "-wal", "-journal")

_IMAGE = {"size", "mtime_ns", "inode", "sha256"}

Times = tuple[int, int, int]  # size, mtime in ns, inode


def environment(configuration: object) -> str:
    """Changes with whatever decides what a check finds, beside the store."""
    seen = sha256(repr((_SCHEMA, __version__, configuration)).encode("utf-8", "backslashreplace"))
    for package in (validators, stores, db, model, schemas):
        for path in _sources(package):
            seen.update(path.name.encode())
            seen.update(path.read_bytes())
    return seen.hexdigest()


def _sources(package: ModuleType) -> list[Path]:
    (folder, *_) = package.__path__
    return sorted(
        path for path in Path(folder).rglob("*") if path.suffix in (".py", ".json", ".sql")
    )


class Seen(Struct, frozen=True):
    """Files as a unit sees them; what it touches is remembered. Implements model.files.Files."""

    files: Files
    touched: dict[str, Times | None] = field(default_factory=dict)
    listed: dict[str, str] = field(default_factory=dict)

    def data(self, path: str) -> memoryview:
        self._touch(path)
        return self.files.data(path)

    def start(self, path: str, size: int) -> bytes:
        self._touch(path)
        return self.files.start(path, size)

    @property
    def memory(self) -> None:
        return None

    def plain_from(self, path: str) -> int | None:
        self._touch(path)
        return self.files.plain_from(path)

    def exists(self, path: str) -> bool:
        self._touch(path)
        return self.files.exists(path)

    def listing(self, folder: str) -> Sequence[str]:
        names = self.files.listing(folder)
        self.listed[folder] = _listing(names)
        return names

    def sqlite(self, path: str) -> sqlite3.Connection:
        for side in _SIDES:
            self._touch(path + side)
        return self.files.sqlite(path)

    def condition(self, path: str) -> Condition:
        for side in _SIDES:
            self._touch(path + side)
        return self.files.condition(path)

    def _touch(self, path: str) -> None:
        # The first look counts: a file that changes while it is judged does not match it later.
        self.touched.setdefault(path, _times(path))


class Views:
    """One `Seen` a unit."""

    def __init__(self) -> None:
        self.of: dict[str, Seen] = {}

    def __call__(self, unit: Unit, files: Files) -> Files:
        seen = self.of[unit.id] = Seen(files)
        for path in unit.paths:
            seen._touch(path)
        return seen


class Cache(Struct, frozen=True):
    folder: Path
    environment: str
    units: dict[str, Any]

    def unchanged(self, unit: Unit, files: Files) -> list[Unchanged] | None:
        """The sessions of a unit that need not be read; None: read it."""
        entry = self.units.get(unit.id)
        if entry is None or entry["paths"] != list(unit.paths) or entry["store"] != unit.store:
            return None
        if any(_listing(files.listing(f)) != names for f, names in entry["listed"].items()):
            return None
        if not all(_is_same(path, was) for path, was in entry["files"].items()):
            return None
        return [Unchanged(*session) for session in entry["sessions"]]

    def keep(self, unit: Unit, seen: Seen, sessions: Collection[Unchanged]) -> None:
        if any(is_server(path) for path in unit.paths):
            return  # nothing of it tells that it is the same
        files = {path: _image(path, times) for path, times in seen.touched.items()}
        if any(image is not None and image["sha256"] is None for image in files.values()):
            return  # it changed while it was judged
        self.units[unit.id] = {
            "store": unit.store,
            "paths": list(unit.paths),
            "files": files,
            "listed": seen.listed,
            "sessions": [[s.id, s.path, s.store] for s in sessions],
        }

    def drop(self, unit: Unit) -> None:
        self.units.pop(unit.id, None)

    def save(self) -> None:
        """Whole or not at all. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        units = {
            name: e
            for name, e in self.units.items()
            if all(Path(path).exists() for path in e["paths"][:1])
        }
        document = {"schema": _SCHEMA, "environment": self.environment, "units": units}
        number, name = tempfile.mkstemp(dir=self.folder, prefix=_NAME)
        try:
            with open(number, "w", encoding="utf-8") as file:  # noqa: PTH123 (a descriptor)
                json.dump(document, file)
            Path(name).replace(self.folder / _NAME)
        except BaseException:
            Path(name).unlink()
            raise


def opened(folder: Path, configuration: object) -> Cache:
    """One that cannot be read, or is of another environment, counts as empty."""
    now = environment(configuration)
    try:
        document = json.loads((folder / _NAME).read_text("utf-8"))
        known = document["environment"] == now and all(map(_is_entry, document["units"].values()))
        units: dict[str, Any] = document["units"] if known else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        units = {}
    return Cache(folder, now, units)


def _is_entry(entry: Any) -> bool:
    return bool(
        isinstance(entry["store"], str)
        and _are_texts(entry["paths"])
        and all(was is None or was.keys() == _IMAGE for was in entry["files"].values())
        and isinstance(entry["listed"], dict)
        and all(len(session) == 3 and _are_texts(session) for session in entry["sessions"])
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _listing(names: Sequence[str]) -> str:
    return sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


def _times(path: str) -> Times | None:
    try:
        info = os.stat(path)  # noqa: PTH116 (as typed)
    except (OSError, ValueError):
        return None
    return info.st_size, info.st_mtime_ns, info.st_ino


def _digest(path: str) -> str | None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 (as typed)
            return "none"  # a folder: that it is there is all that a reader asks
        with Path(path).open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _image(path: str, times: Times | None) -> dict[str, Any] | None:
    """What must hold later; `sha256` is null if the file is no longer what was judged."""
    if times is None:
        return None
    size, mtime_ns, inode = times
    digest = _digest(path)
    settled = time.time_ns() - mtime_ns > _SETTLED
    return {
        "size": size,
        "mtime_ns": mtime_ns if settled else None,
        "inode": inode,
        "sha256": digest if _times(path) == times or digest == "none" else None,
    }


def _is_same(path: str, was: Mapping[str, Any] | None) -> bool:
    now = _times(path)
    if was is None or now is None:
        return was is None and now is None
    size, mtime_ns, inode = now
    if (size, mtime_ns, inode) == (was["size"], was["mtime_ns"], was["inode"]):
        return True
    same_size = was["sha256"] == "none" or size == was["size"]
    return bool(same_size and _digest(path) == was["sha256"])
