"""The files below what the user typed, each once; what is none is told."""

import glob
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePath

from msgspec import Struct

from suture.model.errors import NothingThere, NothingToRead

_HOMES = {
    "claude:": ("CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    "codex:": ("CODEX_HOME", "~/.codex", ""),
    "opencode:": ("XDG_DATA_HOME", "~/.local/share", "opencode"),
}
_SPECIAL = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
# No client lists these, nor files with a dot before their names: what was being written when a
# process died (also by `apply`), and copies that somebody put aside.
_LEFT_OVER = (".tmp", ".bak", ".backup", ".orig", "~")
_SQLITE_SIDE = ("-wal", "-shm", "-journal")
_WAL_HEADER = 32
_ALONE = "the database of this -wal is absent: copy it before a client starts, which deletes it"


class Unreadable(Struct, frozen=True):
    path: str
    reason: str


def absolute(path: str) -> str:
    """Links and `..` stay. Of an absolute path nobody asks for the current folder, which may be
    gone."""
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


@lru_cache(maxsize=1024)  # thousands of files lie in few folders
def nearest(folder: str, *names: str) -> str | None:
    """The folder itself or one above it that has one of these names."""
    inner = PurePath(folder)
    return next((str(at) for at in (inner, *inner.parents) if at.name in names), None)


def expand(typed: Iterable[str]) -> Iterator[str]:
    for text in typed:
        if text in _HOMES:
            variable, default, below = _HOMES[text]
            home = Path(os.environ.get(variable) or Path(default).expanduser())
            yield str(home / below)
        elif Path(text).exists() or Path(text).is_symlink() or not glob.has_magic(text):
            yield text
        else:
            found = sorted(glob.glob(text, recursive=True))
            if not found:
                raise NothingThere(f"{text}: nothing matches")
            yield from found


def walk(
    typed: Iterable[str],
    skipped: list[Unreadable],
    unreadable: list[Unreadable],
    seen: set[tuple[int, int]],
) -> Iterator[tuple[str, bool]]:
    """Regular files, each once, and whether the user named it."""
    for top in typed:
        try:
            info = Path(top).stat()
        except OSError as error:
            raise NothingToRead(f"{top}: {reason_of(error)}") from error
        if stat.S_ISDIR(info.st_mode):
            for path in _below(top, unreadable):
                if _is_new_file(path, skipped, unreadable, seen):
                    yield path, False
        elif stat.S_ISREG(info.st_mode):
            if _is_new_file(top, skipped, unreadable, seen):
                yield top, True
        else:
            raise NothingToRead(f"{top}: {_special(info.st_mode)}, not a session store")


def _below(top: str, unreadable: list[Unreadable]) -> Iterator[str]:
    def refused(error: OSError) -> None:
        unreadable.append(Unreadable(str(error.filename), reason_of(error)))

    for folder, folders, names in os.walk(top, onerror=refused):
        folders.sort()
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(_LEFT_OVER):
                yield os.path.join(folder, name)  # as typed


def _is_new_file(
    path: str,
    skipped: list[Unreadable],
    unreadable: list[Unreadable],
    seen: set[tuple[int, int]],
) -> bool:
    if path.endswith(_SQLITE_SIDE):
        if path.endswith("-wal") and _is_alone(path):
            unreadable.append(Unreadable(path, _ALONE))
        return False
    try:
        info = os.stat(path)
    except OSError as error:
        target = skipped if Path(path).is_symlink() else unreadable
        target.append(Unreadable(path, reason_of(error)))
        return False
    if stat.S_ISDIR(info.st_mode):
        return False
    if not stat.S_ISREG(info.st_mode):
        skipped.append(Unreadable(path, _special(info.st_mode)))
        return False
    key = (info.st_dev, info.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True


def _is_alone(log: str) -> bool:
    """SQLite deletes a -wal without its database as soon as a client makes that anew."""
    return not Path(log.removesuffix("-wal")).exists() and Path(log).stat().st_size > _WAL_HEADER


def _special(mode: int) -> str:
    return _SPECIAL.get(stat.S_IFMT(mode), "a special file")


def reason_of(error: OSError | sqlite3.Error) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
