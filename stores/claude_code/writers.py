"""Who may still write to a session: the registry of running clients, and open descriptors."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from suture.model.files import Writer
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores.claude_code.recognise import stem

_PROC = Path("/proc")
_LAG = 10  # seconds: a client registers itself shortly after it started


def writers(unit: Unit) -> list[Writer]:
    main = unit.paths[0]
    return [
        *_registered(Path(main), stem(main)),
        *(
            writer
            for path in unit.paths
            if path.endswith(".jsonl")
            for writer in open_writers(path)
        ),
    ]


def _registered(main: Path, session: str) -> Iterator[Writer]:
    registry = _registry(main)
    if registry is None:
        return
    for path in sorted(registry.glob("*.json")):
        pid = _named_pid(path, session)
        if pid is not None and _lives(pid, path):
            yield Writer(f"session registry names live pid {pid}", pid)


def _registry(main: Path) -> Path | None:
    for folder in main.absolute().parents:
        if folder.name == "projects":
            return folder.parent / "sessions"
    return None


def _named_pid(path: Path, session: str) -> int | None:
    try:
        entry = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or entry.get("sessionId") != session:
        return None
    pid = entry.get("pid", int(path.stem) if path.stem.isdigit() else None)
    return pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None


def _lives(pid: int, entry: Path) -> bool:
    """Whether the process that wrote the entry still runs, not a later one of the same number."""
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
        ticks = (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rsplit(")", 1)[1]
        boot = (_PROC / "stat").read_text("utf-8", "replace")
        booted = next(line for line in boot.splitlines() if line.startswith("btime "))
        return int(booted.split()[1]) + int(ticks.split()[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError, StopIteration):
        return None
