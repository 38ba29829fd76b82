"""SQLite without touching the original: private copies, and who holds locks.

Opening a crashed database in place moves its `-wal` into the main file and deletes it, and reading
it as immutable silently leaves out what stands in the `-wal`.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

from suture.model.address import is_server
from suture.model.condition import Condition
from suture.model.files import Writer
from suture.stores._open_files import REUSE, open_writers

if TYPE_CHECKING:
    from suture.stores.sqlite.log import Index

_SIDES = ("", "-wal", "-journal")  # `-shm` is an index of the `-wal` and is made anew
_TRIES = 5

State = tuple[tuple[int, int, int] | None, ...]


def private_copy(path: str, folder: str | Path) -> Path:
    """Copy the database with its `-wal` and `-journal` into an empty folder.

    Raises OSError, and sqlite3.OperationalError for one that changes during every try.
    """
    original = os.path.realpath(path)  # SQLite looks for the -wal beside the file, not the link
    copy = Path(folder) / Path(original).name
    for _ in range(_TRIES):
        before = _state(original)
        if before[0] is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        for side, found in zip(_SIDES, before, strict=True):
            _copy(original + side, Path(f"{copy}{side}"), found is not None)
        if _state(original) == before:
            return copy
    raise sqlite3.OperationalError(f"{path} changed during each of {_TRIES} attempts to copy it")


def examined_copy(path: str, folder: Path) -> tuple[Path, Condition]:
    """A private copy, and what the pages of its file and its logs are like."""
    from suture.stores.sqlite.examine import examine  # noqa: PLC0415  # for databases alone

    copy, index = _copied(path, folder)
    return copy, examine(copy, index)


def settled_copy(path: str, folder: Path) -> tuple[Path, Condition | None]:
    """The same; None where nothing but its pages is left to look at."""
    from suture.stores.sqlite.examine import examine_logs  # noqa: PLC0415

    copy, index = _copied(path, folder)
    return copy, examine_logs(copy, index)


def _copied(path: str, folder: Path) -> tuple[Path, "Index | None"]:
    from suture.stores.sqlite.log import index_of  # noqa: PLC0415

    # looked at first: what the log holds then, it still holds when it is copied
    index = index_of(Path(os.path.realpath(path)))
    return private_copy(path, folder), index


def _copy(source: str, target: Path, present: bool) -> None:
    target.unlink(missing_ok=True)
    if present:
        try:
            shutil.copyfile(source, target)
        except FileNotFoundError:
            target.unlink(missing_ok=True)  # gone meanwhile: the second look says so


def _state(original: str) -> State:
    return tuple(_look(original + side) for side in _SIDES)


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def describe(path: str, as_far_as_it_goes: bool = False) -> dict[str, frozenset[str]]:
    """Tables and their columns. Raises sqlite3.Error for what is no readable database."""
    original = os.path.realpath(path)
    before = _state(original)
    main, *logs = before
    if main is not None and not any(logs):  # no copy is needed: all stands in the file itself
        found = _described(f"{Path(original).as_uri()}?immutable=1", as_far_as_it_goes)
        if _state(original) == before:
            return found
    with tempfile.TemporaryDirectory(prefix="suture-") as folder:
        return _described(private_copy(path, folder).as_uri(), as_far_as_it_goes)


def _described(uri: str, as_far_as_it_goes: bool) -> dict[str, frozenset[str]]:
    with closing(sqlite3.connect(uri, uri=True)) as database:
        if as_far_as_it_goes:  # of a schema that is damaged, or a file that was cut
            database.execute("PRAGMA writable_schema = ON")
        database.text_factory = bytes  # a name need not be UTF-8
        return columns(database)


def describe_recovered(path: str) -> dict[str, frozenset[str]]:
    """Of a file in which SQLite sees no table, the tables that its log holds back."""
    if not log_size(path):
        return {}
    with tempfile.TemporaryDirectory(prefix="suture-") as folder:
        copy, condition = examined_copy(path, Path(folder))
        with closing(sqlite3.connect(condition.file or copy)) as database:
            database.text_factory = bytes
            return columns(database)


def log_size(path: str) -> int:
    """Of the `-wal`; 0 if there is none."""
    found = _look(f"{os.path.realpath(path)}-wal")
    return found[0] if found else 0


def columns(database: sqlite3.Connection) -> dict[str, frozenset[str]]:
    names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {_text(name): _columns(database, _text(name)) for (name,) in names}


def _columns(database: sqlite3.Connection, table: str) -> frozenset[str]:
    try:
        rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    except sqlite3.Error:
        return frozenset()  # a virtual table whose module is not here
    return frozenset(_text(name) for (name,) in rows)


def _text(name: bytes | str) -> str:
    return name if isinstance(name, str) else name.decode("utf-8", "replace")


# Asked in a process of its own: closing any descriptor of a file drops every POSIX lock that the
# closing process holds on it. Bytes 0x40000000 to +511 of the main file are SQLite's PENDING,
# RESERVED and SHARED locks; 120 to 128 of the `-shm` are WRITE, CKPT, RECOVER, READ and DMS.
_PROBE = """
import fcntl, os, struct, sys
mac = sys.platform == "darwin"
for path, start, length, name in (
    (sys.argv[1], 0x40000001, 1, "writes to"),
    (sys.argv[1] + "-shm", 120, 1, "writes to"),
    (sys.argv[1], 0x40000000, 512, "has open"),
    (sys.argv[1] + "-shm", 128, 1, "has open"),
):
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    ask = (start, length, 0, fcntl.F_WRLCK, 0) if mac else (fcntl.F_WRLCK, 0, start, length, 0)
    try:
        got = fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack("qqihh" if mac else "hhqqi4x", *ask))
        got = struct.unpack("qqihh" if mac else "hhqqi4x", got)
    except OSError:
        continue
    finally:
        os.close(fd)
    kind, pid = (got[3], got[2]) if mac else (got[0], got[4])
    if kind != fcntl.F_UNLCK:
        print(pid, name)
"""


def database_writers(path: str) -> list[Writer]:
    """Other processes that hold a lock on the database, or have it open for writing."""
    if is_server(path):  # who writes there is seen by the lock on the session's row alone
        return []
    found: dict[int | None, Writer] = {}
    original = os.path.realpath(path)
    # a connection in WAL mode keeps the -shm, one in a transaction has a -journal; an idle one in
    # rollback mode holds no lock at all and is seen by its descriptor only
    if any(Path(original + side).exists() for side in ("-shm", "-journal")):
        for pid, what in _locks_lately(original):
            found.setdefault(pid, Writer(f"pid {pid} {what} {Path(path).name} (lock)", pid))
    for writer in (*open_writers(original), *open_writers(original + "-wal")):
        found.setdefault(writer.pid, writer)
    found.pop(os.getpid(), None)
    return list(found.values())


_asked: dict[str, tuple[State, int, list[tuple[int, str]]]] = {}


def _locks_lately(original: str) -> list[tuple[int, str]]:
    """Asked once for the thousands of sessions of one database.

    The first process to open a database that nobody has open makes its `-shm` anew, so an answer
    that named nobody does not outlive that.
    """
    now = time_ns()
    state = (*_state(original), _look(original + "-shm"))
    known = _asked.get(original)
    if known is None or known[0] != state or now >= known[1]:
        found = _locks(original)
        ended = time_ns()
        known = _asked[original] = (state, ended + REUSE * (ended - now), found)
    return known[2]


def _locks(original: str) -> list[tuple[int, str]]:
    if sys.platform not in ("linux", "darwin"):
        return []
    command = [sys.executable, "-I", "-S", "-c", _PROBE, original]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    lines = (line.split(" ", 1) for line in done.stdout.splitlines())
    return [(int(pid), what) for pid, what in lines]
