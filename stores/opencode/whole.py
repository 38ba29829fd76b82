"""What belongs to no session: the database as a whole, and its projects."""

import sqlite3
from collections.abc import Iterator

from suture.model.rows import DamageRow
from suture.stores.opencode.database import text
from suture.stores.opencode.references import strangers
from suture.stores.opencode.values import parsed, written


def damage(database: sqlite3.Connection, unit: int, path: str) -> Iterator[DamageRow]:
    """Dangling keys of tables that belong to no session, and unreadable projects."""
    database.text_factory = text
    for problem in strangers(database):
        row = _row(unit, path, "foreign_key", problem.detail)
        yield row._replace(table=problem.table, key=problem.key, fixable=False)
    yield from _projects(database, unit, path)


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
