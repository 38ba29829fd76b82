"""What the databases of a Codex home say of a rollout, where the two differ."""

import posixpath
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path, PurePath

from suture.model.files import Files
from suture.model.rows import StateRow
from suture.stores._disk import DiskFiles
from suture.stores._walk import absolute
from suture.stores.codex import index, projection
from suture.stores.codex.index import INDEX, Heads
from suture.stores.codex.names import above_sessions, rollout_name
from suture.stores.codex.projection import PROJECTION
from suture.stores.codex.rollout import Rollout

_kept: dict[object, sqlite3.Connection] = {}  # excerpts, by path and state of the database

Found = Iterator[tuple[str, str, str | None]]  # scope, what, which


def heads_of(paths: Sequence[str]) -> Heads:
    named = [(name, path) for path in paths if (name := rollout_name(path)) is not None]
    in_order = sorted((PurePath(path).name, name.thread, path) for name, path in named)
    files: dict[str, list[str]] = {}
    for name, path in named:
        files.setdefault(name.rollout, []).append(path)
    several = {rollout: found for rollout, found in files.items() if len(found) > 1}
    return Heads({thread: path for _, thread, path in in_order}, several)


def home_of(path: str) -> str | None:
    """The folder above `sessions`."""
    folder = posixpath.dirname(path)
    return above_sessions(folder) or above_sessions(absolute(folder))


def home_rows(rollout: Rollout, session: int, heads: Heads, files: Files) -> list[StateRow]:
    home = home_of(rollout.path)
    if home is None or rollout_name(rollout.path) is None or rollout.header.n is None:
        return []

    def of_index(connection: sqlite3.Connection) -> Found:
        return index.faults(connection, home, rollout, heads, files)

    def of_projection(connection: sqlite3.Connection) -> Found:
        return projection.faults(connection, rollout)

    def elsewhere(connection: sqlite3.Connection) -> Found:
        if index.names_another(connection, rollout, heads):
            yield "projection", "elsewhere", None

    n = rollout.header.n
    found = _asked(home, INDEX, of_index, files)
    if not _asked(home, INDEX, elsewhere, files):
        found += _asked(home, PROJECTION, of_projection, files)
    return [StateRow(session, n, *row) for row in found]


def _asked(
    home: str, database: str, look: Callable[[sqlite3.Connection], Found], files: Files
) -> list[tuple[str, str, str | None]]:
    path = posixpath.join(home, database)
    if not files.exists(path):
        return []
    try:
        with _opened(path, files) as connection:
            return list(look(connection))
    except (sqlite3.Error, OSError):
        return []  # its own damage is told where databases are read


@contextmanager
def _opened(path: str, files: Files) -> Iterator[sqlite3.Connection]:
    """On disk the few columns that are asked for are read once a process: a private copy of the
    whole database for each batch of rollouts would cost more than reading them."""
    if type(files) is not DiskFiles:
        with closing(files.sqlite(path)) as connection:
            yield connection
        return
    key = (path, _look(path), _look(f"{path}-wal"))
    if key not in _kept:
        with closing(files.sqlite(path)) as connection:
            _kept[key] = _excerpt(connection)
    yield _kept[key]


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


_ASKED: Mapping[str, Sequence[str]] = {**index.ASKED, **projection.ASKED}


def _excerpt(connection: sqlite3.Connection) -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    for table, wanted in _ASKED.items():
        there = index.columns(connection, table)
        chosen = [name for name in wanted if name in there]
        if chosen:
            names = ", ".join(chosen)
            made.execute(f"create table {table} ({names})")
            rows = connection.execute(f"select distinct {names} from {table}")
            made.executemany(f"insert into {table} values ({', '.join('?' * len(chosen))})", rows)
            made.execute(f"create index by_{chosen[0]}_of_{table} on {table} ({chosen[0]})")
    return made
