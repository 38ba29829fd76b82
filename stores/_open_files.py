"""Which processes hold a file open for writing, as `/proc` of Linux shows it."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from time import time_ns

from suture.model.files import Writer

_PROC = Path("/proc")
_REUSE = 4  # times as long as the look itself took: bounds what looking adds to a long run
_CLOCK_STEP = 10_000_000  # ns; file times lag the clock by up to a tick

Inode = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Look:
    holders: dict[Inode, tuple[int, ...]]
    started: int
    good_until: int
    asked: set[Inode]


_last = _Look({}, 0, 0, set())


def open_writers(path: str) -> list[Writer]:
    """Other processes with a descriptor open for writing; empty where there is no `/proc`.

    Processes of other users show their descriptors to root only.
    """
    try:
        found = Path(path).stat()
    except OSError:
        return []
    return [
        Writer(f"pid {pid} ({_name(pid)}) holds {Path(path).name} open for writing", pid)
        for pid in _look((found.st_dev, found.st_ino), found.st_ctime_ns)
        if pid != os.getpid()
    ]


def _look(inode: Inode, changed: int) -> tuple[int, ...]:
    """One look serves the thousands of files of a run, but no file twice or after a change."""
    global _last  # noqa: PLW0603
    now = time_ns()
    fresh = now < _last.good_until and changed + _CLOCK_STEP < _last.started
    if not fresh or inode in _last.asked:
        holders = _holders()
        ended = time_ns()
        _last = _Look(holders, now, ended + _REUSE * (ended - now), set())
    _last.asked.add(inode)
    return _last.holders.get(inode, ())


def _holders() -> dict[Inode, tuple[int, ...]]:
    found: dict[Inode, tuple[int, ...]] = {}
    for pid in (int(name) for name in _names(_PROC) if name.isdigit()):
        folder = _PROC / str(pid) / "fd"
        written = {inode for name in _names(folder) if (inode := _written(folder / name))}
        for inode in written:
            found[inode] = (*found.get(inode, ()), pid)
    return found


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  # thousands of names: no Path for each
    except OSError:
        return []  # no /proc here, the process ended, or it belongs to another user


def _written(descriptor: Path) -> Inode | None:
    try:
        # the mode of the link itself is the access mode of the descriptor
        if not descriptor.lstat().st_mode & stat.S_IWUSR:
            return None
        target = descriptor.stat()
    except OSError:
        return None
    return (target.st_dev, target.st_ino) if stat.S_ISREG(target.st_mode) else None


def _name(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "gone"
