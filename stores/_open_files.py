"""Which processes hold a file open for writing, as `/proc` of Linux shows it."""

import os
import stat
from pathlib import Path
from time import time_ns

from msgspec import Struct

from suture.model.files import Writer

_PROC = Path("/proc")
REUSE = 200  # times as long as the look itself took: bounds what looking adds to a long run
_CLOCK_STEP = 10_000_000  # ns; file times lag the clock by up to a tick

Inode = tuple[int, int]
Holders = dict[Inode, tuple[int, ...]]


class _Look(Struct):
    holders: Holders
    pids: set[int]
    started: int
    good_until: int
    pids_until: int  # till then nobody looks for processes that have started since


_last = _Look({}, set(), 0, 0, 0)


def open_writers(path: str) -> list[Writer]:
    """Other processes with a descriptor open for writing; empty where there is no `/proc`.

    Processes of other users show their descriptors to root only.
    """
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [
        Writer(f"pid {pid} ({_name(pid)}) holds {os.path.basename(path)} open for writing", pid)
        for pid in _look((found.st_dev, found.st_ino), found.st_ctime_ns)
        if pid != os.getpid()
    ]


def _look(inode: Inode, changed: int) -> tuple[int, ...]:
    """One look serves the thousands of files of a run; a file that changed since gets a new one."""
    global _last  # noqa: PLW0603
    now = time_ns()
    if now >= _last.good_until or changed + _CLOCK_STEP >= _last.started:
        holders: Holders = {}
        pids = _pids()
        listed = time_ns()
        _add(holders, pids)
        ended = time_ns()
        _last = _Look(
            holders, pids, now, ended + REUSE * (ended - now), ended + REUSE * (listed - now)
        )
    elif now >= _last.pids_until:
        started = _pids() - _last.pids
        _add(_last.holders, started)
        _last.pids.update(started)
        ended = time_ns()
        _last.pids_until = ended + REUSE * (ended - now)
    return _last.holders.get(inode, ())


def _pids() -> set[int]:
    return {int(name) for name in _names(str(_PROC)) if name.isdigit()}


def _add(holders: Holders, pids: set[int]) -> None:
    for pid in sorted(pids):
        folder = f"{_PROC}/{pid}/fd"
        written = {inode for name in _names(folder) if (inode := _written(f"{folder}/{name}"))}
        for inode in written:
            holders[inode] = (*holders.get(inode, ()), pid)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # no /proc here, the process ended, or it belongs to another user


def _written(descriptor: str) -> Inode | None:
    try:
        # the mode of the link itself is the access mode of the descriptor
        if not os.lstat(descriptor).st_mode & stat.S_IWUSR:
            return None
        target = os.stat(descriptor)
    except OSError:
        return None
    return (target.st_dev, target.st_ino) if stat.S_ISREG(target.st_mode) else None


def _name(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "gone"
