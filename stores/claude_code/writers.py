"""Who may still write to a session: the registry of running clients, and open descriptors."""

import json
import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from suture.model.files import Writer
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores._walk import absolute, nearest
from suture.stores.claude_code.recognise import stem

_PROC = Path("/proc")
_LAG = 10  # seconds: a client registers itself shortly after it started


def writers(unit: Unit) -> list[Writer]:
    main = unit.paths[0]
    return [
        *_registered(main, stem(main)),
        *(
            writer
            for path in unit.paths
            if path.endswith(".jsonl")
            for writer in open_writers(path)
        ),
    ]


def _registered(main: str, session: str) -> Iterator[Writer]:
    registry = _registry(absolute(posixpath.dirname(main)))
    if registry is None or not posixpath.exists(registry):
        return
    for path in sorted(Path(registry).glob("*.json")):
        named = _named(path, session)
        pid = _running(named, path) if named is not None else None
        if pid is not None:
            yield Writer(f"session registry names live pid {pid}", pid)


def _registry(folder: str) -> str | None:
    projects = nearest(folder, "projects")
    return None if projects is None else posixpath.join(posixpath.dirname(projects), "sessions")


class _Named(Struct, frozen=True):
    pid: int  # as the client sees itself, which in a container is not as we see it
    ticks: str | None  # its start in ticks since boot: tells it from others of that number


def _named(path: Path, session: str) -> _Named | None:
    try:
        entry = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or entry.get("sessionId") != session:
        return None
    pid = entry.get("pid", int(path.stem) if path.stem.isdigit() else None)
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return None
    ticks = entry.get("procStart")  # a date where there is no /proc
    return _Named(pid, ticks if isinstance(ticks, str) and ticks.isdigit() else None)


def _running(named: _Named, entry: Path) -> int | None:
    """The process that wrote the entry, if it still runs; not a later one of the same number."""
    if named.ticks is None or _ticks(os.getpid()) is None:
        return named.pid if _lives(named.pid, entry) else None
    if _ticks(named.pid) == named.ticks:
        return named.pid
    return next((pid for pid in _pids() if _is_inside(pid, named)), None)


def _is_inside(pid: int, named: _Named) -> bool:
    """Whether it is the named process, seen from outside of its container."""
    if _ticks(pid) != named.ticks:
        return False
    try:
        status = (_PROC / str(pid) / "status").read_text("utf-8", "replace")
    except OSError:
        return False
    inner = next((line for line in status.splitlines() if line.startswith("NSpid:")), "")
    return inner.split()[-1:] == [str(named.pid)]


def _pids() -> list[int]:
    return sorted(int(path.name) for path in _PROC.iterdir() if path.name.isdigit())


def _ticks(pid: int) -> str | None:
    try:
        return _stat(pid)[19]
    except (OSError, IndexError):
        return None


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name, which may hold anything."""
    return (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rsplit(")", 1)[1].split()


def _lives(pid: int, entry: Path) -> bool:
    """Whether a process of that number is as old as the entry."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it runs, under another user
    started = _started(pid)
    if started is None:
        return True
    try:
        return started <= entry.stat().st_mtime + _LAG
    except OSError:
        return False  # it ended and took its entry along


def _started(pid: int) -> float | None:
    """Seconds since the epoch; None where there is no `/proc`."""
    try:
        boot = (_PROC / "stat").read_text("utf-8", "replace")
        booted = next(line for line in boot.splitlines() if line.startswith("btime "))
        return int(booted.split()[1]) + int(_stat(pid)[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError, StopIteration):
        return None
