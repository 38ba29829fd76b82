"""`crush.lock`: a server that keeps the data folder open holds an flock on it."""

import os
from pathlib import Path

import msgspec

from suture.model.files import Writer

_LOCKS = Path("/proc/locks")


def lock_holders(path: Path) -> list[Writer]:
    """The file stays behind when a server ends, so it is the lock that counts, where it shows."""
    try:
        found, data = path.stat(), path.read_bytes()
    except OSError:
        return []
    pid = _stated(data)
    try:
        held = f":{found.st_ino} " in _flocks()
    except OSError:  # no such list on this system: the process that the file names
        held = pid is not None and _lives(pid)
    said = f" of pid {pid}" if pid is not None else ""
    return [Writer(f"{path.name}{said} is held by a server", pid)] if held else []


def _stated(data: bytes) -> int | None:
    try:
        pid = msgspec.json.decode(data)["pid"]
    except (msgspec.DecodeError, UnicodeError, KeyError, TypeError):
        return None
    return pid if isinstance(pid, int) and pid > 0 else None


def _flocks() -> str:
    return "\n".join(line for line in _LOCKS.read_text("ascii").splitlines() if "FLOCK" in line)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
