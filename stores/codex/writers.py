"""Who may still write to a rollout: the thread's lock, open descriptors; a database's locks."""

import fcntl
import os
import posixpath

from suture.model.files import Writer
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores._sqlite import database_writers
from suture.stores._walk import absolute
from suture.stores.codex.names import above_sessions, rollout_name


def writers(unit: Unit) -> list[Writer]:
    found: list[Writer] = []
    for path in unit.paths:
        if path.endswith(".sqlite"):  # named by a plan that changes rows of the home
            found += database_writers(path)
            continue
        found += open_writers(path)
        held = _held_lock(path)
        if held is not None:
            found.append(held)
    return found


def _held_lock(path: str) -> Writer | None:
    """Codex holds an flock on the thread's lock file; the file itself stays after the end."""
    name = rollout_name(path)
    home = above_sessions(absolute(posixpath.dirname(path)))
    if name is None or home is None:
        return None
    lock = posixpath.join(home, "thread-writer-locks", f"{name.thread}.lock")
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)  # never creates it
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Writer(f"a process holds the writer lock {lock}")
    except OSError:
        return None  # a file system without locks proves nothing
    else:
        return None
    finally:
        os.close(descriptor)  # gives the shared lock back
