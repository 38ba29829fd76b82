"""What the index of a Codex home, `state_5.sqlite`, says of a rollout, where the two differ."""

import json
import posixpath
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from msgspec import Struct

from suture.model.files import Files
from suture.stores._walk import absolute
from suture.stores.codex.beside import home_rollouts
from suture.stores.codex.names import rollout_name
from suture.stores.codex.rollout import Rollout

INDEX, NAMES = "state_5.sqlite", "session_index.jsonl"
ASKED = {
    "threads": ("id", "rollout_path", "archived", "archived_at", "history_mode", "name"),
    "backfill_state": ("status",),
}
TAIL = re.compile(r"(?:^|[\\/])((?:archived_)?sessions)[\\/](.+)$")


class Heads(Struct, frozen=True):
    newest: Mapping[str, str]  # thread → the newest of its files
    copies: Mapping[str, Sequence[str]]  # rollout → its files, where it has several


Found = Iterator[tuple[str, str, str | None]]


def faults(
    connection: sqlite3.Connection, home: str, rollout: Rollout, heads: Heads, files: Files
) -> Found:
    name = rollout_name(rollout.path)
    known = columns(connection, "threads")
    if name is None or not {"id", "rollout_path"} <= known:
        return
    if rollout.path != heads.newest.get(name.thread):
        return  # one finding a thread, at the file that the row should name
    wanted = [column for column in ASKED["threads"] if column in known]
    sql = f"select {', '.join(wanted)} from threads where id = ?"
    row = connection.execute(sql, (name.thread,)).fetchone()
    if row is None:
        if rollout.records and _is_filled(connection):
            yield "index", "no row", name.thread
    else:
        stored = dict(zip(wanted, row, strict=True))
        for problem in _contradictions(stored, home, rollout, files):
            yield "index", "stale row", problem
    yield from _without_file(connection, home, rollout.path, name.thread, files)


def names_another(connection: sqlite3.Connection, rollout: Rollout, heads: Heads) -> bool:
    """Whether a rollout has another file, and the row of the thread names that one: a client writes
    to it, and its projection is of it (measured on 0.171)."""
    name = rollout_name(rollout.path)
    rivals = () if name is None else heads.copies.get(name.rollout, ())
    if name is None or not rivals or not {"id", "rollout_path"} <= columns(connection, "threads"):
        return False
    sql = "select rollout_path from threads where id = ?"
    row = connection.execute(sql, (name.thread,)).fetchone()
    named = None if row is None else _within(str(row[0]))
    return named != _within(rollout.path) and named in map(_within, rivals)


def _within(path: str) -> str | None:
    """A path from `sessions` on: homes are moved."""
    found = TAIL.search(absolute(path))
    if found is None:
        return None
    return f"{found[1]}/{found[2]}".replace("\\", "/").removesuffix(".zst")


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
    archived = is_archived(rollout.path)
    if "archived" in stored and bool(stored["archived"]) != archived:
        refused = rollout.paginated and stored.get("archived_at") is not None
        since = ", with a time" if refused else ""
        yield f"it says archived{since}" if stored["archived"] else "it does not say archived"
    if stored.get("history_mode") not in (None, mode(rollout)):
        yield f"it says {stored['history_mode']}, the file is {mode(rollout)}"
    if "name" in stored and not stored["name"] and thread_name(home, str(stored["id"]), files):
        yield f"it has no name, {NAMES} has one"


def is_archived(path: str) -> bool:
    return "archived_sessions" in PurePath(path).parts


def mode(rollout: Rollout) -> str:
    return "paginated" if rollout.paginated else "legacy"


def thread_name(home: str, thread: str, files: Files) -> str | None:
    """The last name that was given to a thread. Lines that do not parse are passed over."""
    path = posixpath.join(home, NAMES)
    if not files.exists(path):
        return None
    own = thread.encode()
    try:
        lines = bytes(files.data(path)).split(b"\n")
    except OSError:
        return None
    for line in reversed(lines):
        if own not in line:
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and entry.get("id") == thread:
            given = entry.get("thread_name")
            return given if isinstance(given, str) and given else None
    return None


def _without_file(
    connection: sqlite3.Connection, home: str, path: str, thread: str, files: Files
) -> Found:
    """Rows whose thread has no file at all, told by the first thread of the home."""
    named = map(rollout_name, home_rollouts(path, files))
    if next((name.thread for name in named if name is not None), None) != thread:
        return
    rows = connection.execute("select id, rollout_path from threads order by id")
    lost = [str(id) for id, stored in rows if not _exists(home, str(stored), files)]
    if not lost:
        return
    threads = {name.thread for name in named if name is not None} | {thread}
    for id in lost:
        if id not in threads:
            place = {"path": posixpath.join(home, INDEX), "id": id}
            yield "index", "no file", json.dumps(place)


def _exists(home: str, stored: str, files: Files) -> bool:
    """Whether the home holds the file; homes are moved, so the path above it does not count."""
    found = TAIL.search(stored)
    if found is None:
        return files.exists(stored)
    path = posixpath.join(home, found[1], found[2].replace("\\", "/")).removesuffix(".zst")
    return files.exists(path) or files.exists(path + ".zst")


def _thread(path: str) -> str | None:
    name = rollout_name(path)
    return name.thread if name else None


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"pragma table_info({table})")}


def _is_filled(connection: sqlite3.Connection) -> bool:
    """Until it is, rows are still being added for files that were there before."""
    if "status" not in columns(connection, "backfill_state"):
        return True
    row = connection.execute("select status from backfill_state").fetchone()
    return row is None or row[0] == "complete"
