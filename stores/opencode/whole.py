"""What belongs to no session: the database as a whole, and its projects."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from weakref import WeakKeyDictionary

from suture.model.files import Files
from suture.model.rows import DamageRow
from suture.stores.opencode.database import text
from suture.stores.opencode.references import strangers
from suture.stores.opencode.values import parsed, written

_MOST = 20
_looked: WeakKeyDictionary[Files, dict[str, dict[str | None, list[str]]]] = WeakKeyDictionary()
_ROOT = re.compile(r"(?:Tree|On tree page|On page|btree page|page)\s+(\d+)", re.IGNORECASE)
_INDEX = re.compile(r"(?:missing from index|in index|index) (\S+)")


def is_sound(files: Files, path: str) -> bool:
    """Through a damaged index or page rows are missed that are there, so nothing is said of the
    rows of a file that is not sound."""
    return not _faults(files, path)


def _faults(files: Files, path: str) -> dict[str | None, list[str]]:
    """What `integrity_check` says, by table; asked once for all sessions of a database."""
    known = _looked.setdefault(files, {})
    if path not in known:
        with closing(files.sqlite(path)) as database:
            database.text_factory = text
            known[path] = _integrity(database)
    return known[path]


def damage(database: sqlite3.Connection, files: Files, unit: int, path: str) -> Iterator[DamageRow]:
    """Damage by table, dangling keys of tables that belong to no session, unreadable projects."""
    database.text_factory = text
    sound = True
    for table, details in _faults(files, path).items():
        sound = False
        detail = f"{table or 'the file'}: {details[0]}"[:200]
        more = f"; {len(details) - 1} more" if len(details) > 1 else ""
        yield _row(unit, path, "db_corrupt", detail + more)._replace(field=table, fixable=False)
    if not sound:
        return
    for problem in strangers(database):
        row = _row(unit, path, "foreign_key", problem.detail)
        yield row._replace(table=problem.table, key=problem.key, fixable=False)
    yield from _projects(database, unit, path)


def _integrity(database: sqlite3.Connection) -> dict[str | None, list[str]]:
    try:
        rows = database.execute(f"PRAGMA integrity_check({_MOST})").fetchall()
        owners = dict(database.execute("SELECT rootpage, tbl_name FROM sqlite_master").fetchall())
        names = dict(database.execute("SELECT name, tbl_name FROM sqlite_master").fetchall())
    except sqlite3.Error as error:
        return {None: [str(error)]}
    found: dict[str | None, list[str]] = {}
    for (told,) in rows:
        for line in str(told).splitlines():
            if line == "ok" or line.startswith("*** in database"):
                continue
            page = _ROOT.search(line)
            index = _INDEX.search(line)
            table = owners.get(int(page[1])) if page else names.get(index[1]) if index else None
            found.setdefault(table, []).append(line)
    return found


def _projects(database: sqlite3.Connection, unit: int, path: str) -> Iterator[DamageRow]:
    """The client reads them all before anything else, so one bad value stops it."""
    try:
        rows = database.execute("SELECT id, sandboxes FROM project ORDER BY id").fetchall()
    except sqlite3.Error:
        return
    for name, value in rows:
        fault = None if value is None else parsed(value, "sandboxes")[1]
        if fault is not None:
            row = _row(unit, path, fault.kind, fault.detail)
            yield row._replace(
                table="project",
                key=written({"id": name}),
                ids=[str(name)],
                field="sandboxes",
                fixable=fault.blocks,
            )


def _row(unit: int, path: str, kind: str, detail: str) -> DamageRow:
    return DamageRow(unit, path, kind, None, None, None, detail)
