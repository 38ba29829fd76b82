"""What the databases of a Codex home say of a rollout, where the two differ."""

import json
import posixpath
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path, PurePath

from suture.model.files import Files
from suture.model.rows import StateRow
from suture.stores._disk import DiskFiles
from suture.stores.codex.names import rollout_name
from suture.stores.codex.rollout import Rollout

INDEX, PROJECTION = "state_5.sqlite", "thread_history_1.sqlite"
_ROOTS = ("sessions", "archived_sessions")
_PASSES_SINCE = (0, 154)  # from here on a projection steps over repeated and skipped ordinals
_ASKED = {
    "threads": ("id", "rollout_path", "archived", "history_mode"),
    "backfill_state": ("status",),
    "thread_history_projection_state": (
        "thread_id",
        "next_rollout_byte_offset",
        "next_rollout_ordinal",
    ),
}
_kept: dict[object, sqlite3.Connection] = {}  # excerpts, by path and state of the database
_TAIL = re.compile(r"(?:^|[\\/])((?:archived_)?sessions)[\\/](.+)$")


Heads = Mapping[str, str]  # thread → the newest of its files


def heads_of(paths: Sequence[str]) -> Heads:
    named = ((rollout_name(path), path) for path in paths)
    in_order = sorted((PurePath(path).name, name.thread, path) for name, path in named if name)
    return {thread: path for _, thread, path in in_order}


def home_of(path: str) -> str | None:
    """The folder above `sessions`."""
    for folder in (PurePath(path), PurePath(Path(path).absolute())):
        for at in folder.parents:
            if at.name in _ROOTS:
                return str(at.parent)
    return None


def home_rows(rollout: Rollout, session: int, heads: Heads, files: Files) -> list[StateRow]:
    home = home_of(rollout.path)
    name = rollout_name(rollout.path)
    if home is None or name is None or rollout.header.n is None:
        return []
    n = rollout.header.n
    found: list[tuple[str, str, str | None]] = []
    for database, look in ((INDEX, _index), (PROJECTION, _projection)):
        path = posixpath.join(home, database)
        if not files.exists(path):
            continue
        try:
            with _opened(path, files) as connection:
                found += look(connection, home, rollout, heads, files)
        except (sqlite3.Error, OSError):
            continue  # its own damage is told where databases are read
    return [StateRow(session, n, *row) for row in found]


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


def _excerpt(connection: sqlite3.Connection) -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    for table, wanted in _ASKED.items():
        columns = [name for name in wanted if name in _columns(connection, table)]
        if columns:
            names = ", ".join(columns)
            made.execute(f"create table {table} ({names})")
            rows = connection.execute(f"select {names} from {table}")
            made.executemany(f"insert into {table} values ({', '.join('?' * len(columns))})", rows)
            made.execute(f"create index by_{columns[0]}_of_{table} on {table} ({columns[0]})")
    return made


Found = Iterator[tuple[str, str, str | None]]


def _index(
    connection: sqlite3.Connection,
    home: str,
    rollout: Rollout,
    heads: Heads,
    files: Files,
) -> Found:
    name = rollout_name(rollout.path)
    columns = _columns(connection, "threads")
    if name is None or not {"id", "rollout_path"} <= columns:
        return
    if rollout.path != heads.get(name.thread):
        return  # one finding a thread, at the file that the row should name
    wanted = ["rollout_path", *(c for c in ("archived", "history_mode") if c in columns)]
    sql = f"select {', '.join(wanted)} from threads where id = ?"
    row = connection.execute(sql, (name.thread,)).fetchone()
    if row is None:
        if rollout.records and _is_filled(connection):
            yield "index", "no row", name.thread
        return
    stored = dict(zip(wanted, row, strict=True))
    for problem in _contradictions(stored, home, rollout, files):
        yield "index", "stale row", problem
    yield from _without_file(connection, home, name.thread, files)


def _contradictions(
    stored: dict[str, object], home: str, rollout: Rollout, files: Files
) -> Iterator[str]:
    path = str(stored["rollout_path"])
    mine = PurePath(rollout.path).name.removesuffix(".zst")
    if PurePath(path.replace("\\", "/")).name.removesuffix(".zst") != mine:
        if not _exists(home, path, files):
            yield "its path names a file that is absent"
        elif _thread(path) != _thread(mine):
            yield "its path names the file of another thread"
        else:
            yield "its path names an earlier segment of the thread"
    elif not _exists(home, path, files):
        yield "its path names another folder than the file stands in"
    archived = "archived_sessions" in PurePath(rollout.path).parts
    if "archived" in stored and bool(stored["archived"]) != archived:
        yield "it says archived" if stored["archived"] else "it does not say archived"
    mode = "paginated" if rollout.paginated else "legacy"
    if stored.get("history_mode") not in (None, mode):
        yield f"it says {stored['history_mode']}, the file is {mode}"


def _without_file(connection: sqlite3.Connection, home: str, thread: str, files: Files) -> Found:
    """Rows whose file is gone, told by the first thread of the home that has one."""
    sql = "select id, rollout_path from threads order by id"
    rows = connection.execute(sql)
    owner = next((id for id, path in rows if _exists(home, str(path), files)), None)
    if owner != thread:
        return
    for id, path in connection.execute(sql):
        if not _exists(home, str(path), files):
            place = {"path": posixpath.join(home, INDEX), "id": str(id)}
            yield "index", "no file", json.dumps(place)


def _exists(home: str, stored: str, files: Files) -> bool:
    """Whether the home holds the file; homes are moved, so the path above it does not count."""
    found = _TAIL.search(stored)
    if found is None:
        return files.exists(stored)
    path = posixpath.join(home, found[1], found[2].replace("\\", "/")).removesuffix(".zst")
    return files.exists(path) or files.exists(path + ".zst")


def _thread(path: str) -> str | None:
    name = rollout_name(path)
    return name.thread if name else None


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"pragma table_info({table})")}


def _is_filled(connection: sqlite3.Connection) -> bool:
    """Until it is, rows are still being added for files that were there before."""
    if "status" not in _columns(connection, "backfill_state"):
        return True
    row = connection.execute("select status from backfill_state").fetchone()
    return row is None or row[0] == "complete"


def _projection(
    connection: sqlite3.Connection,
    home: str,
    rollout: Rollout,
    heads: Heads,
    files: Files,
) -> Found:
    name = rollout_name(rollout.path)
    wanted = {"thread_id", "next_rollout_byte_offset", "next_rollout_ordinal"}
    if name is None or not wanted <= _columns(connection, "thread_history_projection_state"):
        return
    row = connection.execute(
        "select next_rollout_byte_offset, next_rollout_ordinal "
        "from thread_history_projection_state where thread_id = ?",
        (name.rollout,),
    ).fetchone()
    if row is None or not all(isinstance(value, int) for value in row):
        return
    offset, ordinal = row
    size = len(rollout.data)
    if offset > size:
        yield "projection", "stuck", f"the cursor stands at {offset}, the file ends at {size}"
    elif offset and rollout.data[offset - 1] != 0x0A:
        yield "projection", "stuck", f"the cursor stands at {offset}, inside a line"
    elif offset < size:
        wrong = _cannot_pass(rollout, offset, ordinal)
        if wrong is None:
            yield "projection", "behind", f"the cursor stands at {offset} of {size} bytes"
        else:
            yield "projection", "stuck", wrong


def _cannot_pass(rollout: Rollout, offset: int, expected: int) -> str | None:
    """Why a projector up to 0.153 stops at the cursor. A line that does not parse may stand for
    one missing ordinal."""
    if _numbers(next(reversed(rollout.header.versions), "")) >= _PASSES_SINCE:
        return None
    following = (r for r in rollout.records if r.offset >= offset and r.ordinal is not None)
    record = next(following, None)
    if record is None or record.ordinal == expected:
        return None
    assert record.ordinal is not None
    lost = {
        row.line
        for row in rollout.damage
        if row.offset is not None and offset <= row.offset < record.offset and not row.recovered
    }
    if expected < record.ordinal <= expected + len(lost):
        return None
    return f"the cursor expects ordinal {expected} and finds {record.ordinal}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
