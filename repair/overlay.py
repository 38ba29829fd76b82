"""The store as it will be: the disk with a plan's edits laid over it, in memory."""

import mmap
import os
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from suture.model.address import is_server
from suture.model.condition import Condition
from suture.model.edit import DatabaseEdit, Edit, FileEdit, RowEdit, SpanEdit
from suture.model.errors import StaleStore
from suture.model.files import Files, Memory, give_back
from suture.repair.layout import Patch
from suture.repair.patches import chunks, merge, patched_size
from suture.repair.rows import execute, fold

_ON_DISK_FROM = 8 << 20  # a larger patched file lies in a private folder, not in memory


class Overlay:
    """Implements model.files.Files over another one. Steps are numbered by the caller."""

    def __init__(self, base: Files) -> None:
        self._base = base
        self.memory = base.memory or Memory()  # of files as they are now
        self.patches: dict[str, tuple[Patch, ...]] = {}
        self.rows: dict[str, dict[str, tuple[RowEdit, int]]] = {}
        self.files: dict[str, tuple[FileEdit, int]] = {}
        self.databases: dict[str, tuple[DatabaseEdit, int]] = {}
        self._rendered: dict[str, memoryview] = {}
        self._scratch: dict[str, Path] = {}  # patched copies of databases
        self._steps = count(1)
        self._folder = tempfile.TemporaryDirectory(prefix="suture-")

    def data(self, path: str) -> memoryview:
        if path in self.files and path not in self._rendered:
            after = self.files[path][0].after
            if after is None:
                raise FileNotFoundError(path)
            self._rendered[path] = memoryview(after)
        if path not in self._rendered:
            original = self._base.data(path)
            self._rendered[path] = (
                self._render(original, self.patches[path]) if path in self.patches else original
            )
        return self._rendered[path]

    def start(self, path: str, size: int) -> bytes:
        if path in self.files or path in self.patches:
            return bytes(self.data(path)[:size])
        return self._base.start(path, size)

    def plain_from(self, path: str) -> int | None:
        """None where edits are laid: what they make is plain as a whole."""
        return None if path in self.patches else self._base.plain_from(path)

    def exists(self, path: str) -> bool:
        if path in self.files:
            return self.files[path][0].after is not None
        return self._base.exists(path)

    def listing(self, folder: str) -> Sequence[str]:
        found = set(self._base.listing(folder))
        for path, (edit, _) in self.files.items():
            if str(Path(path).parent) == folder:
                (found.discard if edit.after is None else found.add)(path)
            elif path.startswith(f"{folder}/") and edit.after is not None:
                found.add(f"{folder}/{path.removeprefix(f'{folder}/').split('/')[0]}")
        return sorted(found)

    def sqlite(self, path: str) -> sqlite3.Connection:
        if path in self._scratch:
            return sqlite3.connect(self._scratch[path])
        return self._base.sqlite(path)

    def condition(self, path: str) -> Condition:
        found = self._base.condition(path)
        if path in self.databases:  # the base reads what the new file will hold
            return replace(found, faults=(), rebuilt=True)
        return found

    def new_step(self) -> int:
        """Numbers no other step of this overlay has: units may share a database."""
        return next(self._steps)

    def add(self, edits: Sequence[tuple[Edit, int]]) -> dict[int, int]:
        """Lay edits of one round over what is there; returns which step went into which."""
        for path in {edit.path for edit, _ in edits}:
            self.memory.forget(path)
        merged: dict[int, int] = {}
        spans: dict[str, list[tuple[SpanEdit, int]]] = {}
        rows: dict[str, list[RowEdit]] = {}
        for edit, step in edits:
            if isinstance(edit, SpanEdit):
                spans.setdefault(edit.path, []).append((edit, step))
            elif isinstance(edit, RowEdit):
                rows.setdefault(edit.path, []).append(edit)
                merged |= fold(self.rows.setdefault(edit.path, {}), edit, step)
            elif isinstance(edit, DatabaseEdit):
                self.databases[edit.path] = (edit, step)
            elif isinstance(edit, FileEdit):
                merged |= self._set_file(edit, step)
            else:
                raise TypeError("a twin is made when all rounds are done")
        for path, changed in rows.items():
            self._set_rows(path, changed)
        for path, group in spans.items():
            original = self._base.data(path)
            self.patches[path], swallowed = merge(original, self.patches.get(path, ()), group)
            self._rendered.pop(path, None)
            merged |= swallowed
        return merged

    def refusal(self, edits: Sequence[Edit]) -> str | None:
        """Why a database would not take these rows, tried on the copy and taken back."""
        rows: dict[str, list[RowEdit]] = {}
        for edit in edits:
            if isinstance(edit, RowEdit):
                rows.setdefault(edit.path, []).append(edit)
        for path, changed in rows.items():
            with closing(sqlite3.connect(self._scratch_of(path))) as connection:
                try:
                    execute(connection, changed)
                except StaleStore as error:
                    if error.__cause__ is None:
                        return "the database itself changes rows that the repair changes"
                    return f"the database refuses it: {error.__cause__}"
                except sqlite3.OperationalError as error:  # such as a function that it calls
                    return f"the database refuses it: {error}"
                finally:
                    connection.rollback()
        return None

    def give(self, to: Mapping[int, int]) -> None:
        """Every edit of a step becomes one of the step that it went into."""
        if not to:
            return
        for path, patches in self.patches.items():
            self.patches[path] = tuple(
                replace(patch, step=to[patch.step]) if patch.step in to else patch
                for patch in patches
            )
        for rows in self.rows.values():
            for key, (row, owner) in rows.items():
                rows[key] = (row, to.get(owner, owner))
        for path, (edit, owner) in self.files.items():
            self.files[path] = (edit, to.get(owner, owner))
        for path, (database, owner) in self.databases.items():
            self.databases[path] = (database, to.get(owner, owner))

    def _set_file(self, edit: FileEdit, step: int) -> dict[int, int]:
        """Two edits of one file, of two rounds, become one. Returns merged steps."""
        self._rendered.pop(edit.path, None)
        if edit.path not in self.files:
            self.files[edit.path] = (edit, step)
            return {}
        first, owner = self.files[edit.path]
        whole = replace(edit, before=first.before, before_sha256=first.before_sha256)
        self.files[edit.path] = (whole, owner)
        return {} if owner == step else {step: owner}

    def _set_rows(self, path: str, edits: Sequence[RowEdit]) -> None:
        with closing(sqlite3.connect(self._scratch_of(path))) as connection, connection:
            execute(connection, edits)

    def _scratch_of(self, path: str) -> Path:
        if path not in self._scratch:
            scratch = Path(self._folder.name, f"{len(self._scratch)}.db")
            with (
                closing(self._base.sqlite(path)) as source,
                closing(sqlite3.connect(scratch)) as target,
            ):
                source.backup(target)
            self._scratch[path] = scratch
        return self._scratch[path]

    def original(self, path: str) -> memoryview:
        return self._base.data(path)

    def outcome(self, path: str) -> tuple[int, str]:
        """Size and sha256 of a patched file."""
        digest, length, original = sha256(), 0, self._base.data(path)
        for chunk in chunks(original, self.patches[path]):
            digest.update(chunk)
            length += len(chunk)
        give_back(original, 0, len(original))
        return length, digest.hexdigest()

    def _render(self, original: memoryview, patches: Sequence[Patch]) -> memoryview:
        if patched_size(len(original), patches) < _ON_DISK_FROM:
            return memoryview(b"".join(chunks(original, patches)))
        with tempfile.TemporaryFile(dir=self._folder.name) as file:
            for chunk in chunks(original, patches):
                file.write(chunk)
            file.flush()
            give_back(original, 0, len(original))
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def close(self) -> None:
        self._rendered.clear()
        self._folder.cleanup()


def edits_by_step(overlay: Overlay) -> Mapping[int, Sequence[Edit]]:
    """The edits of each step against the original, path by path."""
    found: dict[int, dict[str, list[Edit]]] = {}

    def put(step: int, path: str, edit: Edit) -> None:
        found.setdefault(step, {}).setdefault(path, []).append(edit)

    for path, patches in overlay.patches.items():
        for patch in patches:
            put(patch.step, path, SpanEdit(path, patch.offset, patch.length, patch.after))
    for path, rows in overlay.rows.items():
        for row, step in rows.values():
            put(step, path, row)
    for edits in (overlay.files, overlay.databases):
        for path, (edit, step) in edits.items():
            put(step, path, edit)
    return {
        step: [edit for edits in by_path.values() for edit in edits]
        for step, by_path in found.items()
    }


def absolute(path: str) -> str:
    if is_server(path):
        return path
    return os.path.abspath(path)  # noqa: PTH100 (resolve() would follow links)
