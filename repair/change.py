"""What a plan does to each file of a unit, as far as it can be known before it is done."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from suture.model.edit import BytesEdit, DatabaseEdit, Edit, FileEdit, RowEdit
from suture.model.plan import UnitPlan
from suture.repair import disk, splice


class Image(Struct, frozen=True):
    size: int
    sha256: str
    mode: int
    uid: int
    gid: int
    mtime_ns: int
    attributes: disk.Attributes = ()

    @property
    def meta(self) -> disk.Meta:
        return disk.Meta(self.mode, self.uid, self.gid, self.mtime_ns, self.attributes)


class Change(Struct, frozen=True):
    source: int  # which source of the unit
    path: str  # real: no link in it
    after_path: str
    before: Image | None  # None: the file is new; a database is compared row by row
    after_size: int
    after_sha256: str | None  # None: the file goes
    meta: disk.Meta  # of the new file
    stage: str  # ends the names of staged files
    saved: str  # what goes, in `before/` of the journal
    whole: bool  # all of it is saved, not only the removed bytes
    database: bool
    folders: tuple[str, ...] = ()  # made for the new file, outermost first

    def spans(self, unit: UnitPlan) -> list[BytesEdit]:
        return [e for e in edits_of(unit, self.source) if isinstance(e, BytesEdit)]

    def is_rebuilt(self, unit: UnitPlan) -> bool:
        return any(isinstance(edit, DatabaseEdit) for edit in edits_of(unit, self.source))

    def rows(self, unit: UnitPlan) -> list[RowEdit]:
        return [e for e in edits_of(unit, self.source) if isinstance(e, RowEdit)]


class UnitState(Struct, frozen=True):
    """How far a unit got: prepared → committing → applied; undoing → undone | rolled_back."""

    index: int  # in the plan
    unit: str
    status: str
    changes: tuple[Change, ...]
    reason: str | None = None


def edits_of(unit: UnitPlan, source: int) -> list[Edit]:
    path = unit.sources[source].path
    return [edit for step in unit.steps for edit in step.edits if edit.path == path]


def is_database(unit: UnitPlan, source: int) -> bool:
    state = unit.sources[source]
    if state.sha256 is None or state.after_size is not None:
        return False
    return not any(isinstance(edit, FileEdit | DatabaseEdit) for edit in edits_of(unit, source))


def changes(unit: UnitPlan, index: int, id: str) -> tuple[Change, ...]:
    """What a unit's plan does to real files, in the order in which it is done."""
    main = os.stat(os.path.realpath(unit.paths[0]))  # noqa: PTH116
    made: list[Change] = []
    for source, state in enumerate(unit.sources):
        edits = edits_of(unit, source)
        if not edits and state.after_path == state.path:
            continue
        path, after_path = os.path.realpath(state.path), _renamed(state.path, state.after_path)
        database = any(isinstance(edit, RowEdit) for edit in edits)
        entire = any(isinstance(edit, FileEdit | DatabaseEdit) for edit in edits)
        whole = state.path != state.after_path or entire
        before = None if state.sha256 is None else _image(path, state.size, state.sha256)
        fresh = disk.Meta(main.st_mode & 0o666, main.st_uid, main.st_gid, None)
        suffix = ".zst" if splice.is_compressed(path) else ""
        made.append(
            Change(
                source=source,
                path=path,
                after_path=after_path,
                before=before,
                after_size=state.after_size or 0,
                after_sha256=state.after_sha256,
                meta=fresh if before is None else before.meta,
                stage=f"suture-{id}-{index}.{source}",
                saved=f"{index:06}-{source:02}{suffix}",
                whole=whole,
                database=database,
                folders=() if before else tuple(_missing_folders(after_path)),
            )
        )
    return tuple(made)


def _renamed(path: str, after_path: str) -> str:
    """The new name stands beside the real file, where a link leads to it."""
    real = os.path.realpath(path)
    if after_path == path:
        return real
    if os.path.dirname(after_path) == os.path.dirname(path):  # noqa: PTH120
        return os.path.join(os.path.dirname(real), os.path.basename(after_path))  # noqa: PTH118, PTH119, PTH120
    return os.path.realpath(after_path)


def _image(path: str, size: int, sha256: str) -> Image:
    found = os.stat(path)  # noqa: PTH116
    mode = found.st_mode & 0o7777
    owner, kept = (found.st_uid, found.st_gid), disk.attributes(path)
    return Image(size, sha256, mode, *owner, found.st_mtime_ns, kept)


def _missing_folders(path: str) -> Iterator[str]:
    missing = [str(folder) for folder in Path(path).parents if not folder.exists()]
    yield from reversed(missing)
