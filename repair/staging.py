"""One file of a unit on its way from what it was to what the plan says, and back."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from suture.model.edit import Copy, FileEdit, TwinEdit
from suture.model.errors import ApplyFailed, BadPlan
from suture.model.plan import UnitPlan
from suture.repair import disk, splice
from suture.repair.change import Change, edits_of

NAME = 40  # characters of a file's name that its staged copy repeats: names end at 255 bytes


class Look(Enum):
    OLD = 1
    NEW = 2
    BETWEEN = 3  # under two names: the new one is there, the old one still
    OTHER = 4


def staged(change: Change, path: str) -> str:
    """A name that no client lists: a dot before it, and no ending that means anything."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:NAME]}.{change.stage}")  # noqa: PTH118


def look(change: Change) -> Look:
    """Which state of a file lies on the disk."""
    before = change.before.sha256 if change.before else None
    if change.path == change.after_path:
        found = _sha256(change.path)
        if found == change.after_sha256:
            return Look.NEW
        return Look.OLD if found == before else Look.OTHER
    found, fresh = _sha256(change.path), _sha256(change.after_path)
    if found == before and fresh is None:
        return Look.OLD
    if fresh == change.after_sha256:
        return {None: Look.NEW, before: Look.BETWEEN}.get(found, Look.OTHER)
    return Look.OTHER


def _sha256(path: str) -> str | None:
    if not os.path.lexists(path):
        return None
    return splice.digest([path])[1]


def save_size(change: Change, unit: UnitPlan) -> int:
    if change.before is None or change.database:
        return 0
    if change.whole:
        return change.before.size
    return sum(edit.length for edit in change.spans(unit))


def save(change: Change, unit: UnitPlan, saved: str) -> None:
    """Keep what the edits take out, before anything is taken out."""
    if change.before is None or change.database:
        return
    disk.remove(saved)
    with Path(change.path).open("rb") as file:
        pieces = splice.removed(change.spans(unit))
        if change.whole:
            pieces = [Copy(0, change.before.size)]
        disk.write_file(saved, splice.chunks(pieces, file))


def stage_new(change: Change, unit: UnitPlan, scratch: str, rebuilt: str | None = None) -> None:
    """`rebuilt`: where the new file of a database was made."""
    if change.after_sha256 is None:
        return
    for folder in change.folders:
        if not Path(folder).is_dir():
            disk.make_folder(folder, 0o700)
    target = staged(change, change.after_path)
    disk.remove(target)
    with ExitStack() as stack:
        if rebuilt is not None:
            chunks = splice.chunks(
                [Copy(0, change.after_size)], stack.enter_context(_open(rebuilt))
            )
        else:
            chunks = _new(change, unit, scratch, stack)
        written = disk.write_file(target, chunks, change.meta)
    if written != disk.Written(change.after_size, change.after_sha256):
        raise BadPlan(
            f"the edits of {change.path} do not make the file that the plan promises; plan again"
        )


def _open(path: str) -> BinaryIO:
    return Path(path).open("rb")


def _new(change: Change, unit: UnitPlan, scratch: str, stack: ExitStack) -> Iterator[bytes]:
    edits = edits_of(unit, change.source)
    for edit in edits:
        if isinstance(edit, FileEdit):
            assert edit.after is not None
            return iter([edit.after])
        if isinstance(edit, TwinEdit):
            origin = stack.enter_context(splice.opened(os.path.realpath(edit.origin), scratch))
            return splice.chunks(edit.after, origin)
    spans = change.spans(unit)
    if spans:
        source = stack.enter_context(splice.opened(change.path, scratch))
    else:  # only the name changes
        source = stack.enter_context(_open(change.path))
    size = splice.size_of(source)
    splice.check_layout(spans, size)
    return splice.chunks(splice.forward(spans, size), source)


def commit_new(change: Change) -> None:
    """Change what clients see, in steps that are whole each."""
    if change.after_sha256 is None:
        disk.remove(change.path)
        return
    disk.rename(staged(change, change.after_path), change.after_path)
    if change.path != change.after_path:
        disk.remove(change.path)


def stage_old(change: Change, unit: UnitPlan, saved: str) -> None:
    if change.before is None:
        return
    target = staged(change, change.path)
    disk.remove(target)
    with ExitStack() as stack:
        kept = stack.enter_context(_open(saved))
        pieces: Iterator[Copy | splice.Saved] = iter([splice.Saved(0, change.before.size)])
        source = kept
        if not change.whole:
            source = stack.enter_context(_open(change.path))
            pieces = splice.backward(change.spans(unit), change.before.size)
        written = disk.write_file(target, splice.chunks(pieces, source, kept), change.before.meta)
    if written != disk.Written(change.before.size, change.before.sha256):
        raise ApplyFailed(f"the journal no longer gives back {change.path}: {saved} was changed")


def commit_old(change: Change) -> None:
    if change.before is None:
        disk.remove(change.after_path)
        for folder in reversed(change.folders):
            disk.remove_folder(folder)
        return
    disk.rename(staged(change, change.path), change.path)
    if change.path != change.after_path:
        disk.remove(change.after_path)


def ready(change: Change) -> bool:
    """Whether the new file was staged in full."""
    if change.after_sha256 is None:
        return True
    return _sha256(staged(change, change.after_path)) == change.after_sha256


def clean(change: Change) -> None:
    """Take away what was staged and not used."""
    if change.database:
        return
    for path in {change.path, change.after_path}:
        if Path(path).parent.is_dir():
            disk.remove(staged(change, path))
    for folder in reversed(change.folders):
        disk.remove_folder(folder)
