"""References that lead nowhere, asked for one session: foreign keys are looked up by index."""

import sqlite3
from collections.abc import Iterator

from suture.stores.opencode.stored import MESSAGE, PART, SESSION, Problem
from suture.stores.opencode.values import written

_OWNER = ("session_id", "aggregate_id")  # what says whose row it is


def problems(database: sqlite3.Connection, session_id: str) -> Iterator[Problem]:
    """Of each table and absent target one, at its first row."""
    for table in _names(database):
        owner = _owner(database, table)
        if owner is not None:
            yield from _dangling(database, table, f"{_quoted(owner)} = ?", (session_id,))


def strangers(database: sqlite3.Connection) -> Iterator[Problem]:
    """The same for rows that belong to no session."""
    for table in _names(database):
        if _owner(database, table) is None:
            yield from _dangling(database, table, "1", ())


def _owner(database: sqlite3.Connection, table: str) -> str | None:
    if table == SESSION:
        return "id"
    names = _columns(database, table)
    return next((name for name in _OWNER if name in names), None)


def _names(database: sqlite3.Connection) -> list[str]:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return [str(name) for (name,) in database.execute(sql)]


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [str(row[1]) for row in database.execute(f"PRAGMA table_info({_quoted(table)})")]


def _dangling(
    database: sqlite3.Connection, table: str, where: str, values: tuple[str, ...]
) -> Iterator[Problem]:
    keys = database.execute(f"PRAGMA foreign_key_list({_quoted(table)})").fetchall()
    parts = [key[0] for key in keys if key[1] > 0]
    primary = [
        str(row[1]) for row in database.execute(f"PRAGMA table_info({_quoted(table)})") if row[5]
    ] or ["rowid"]
    for number, _, parent, column, named, *_ in keys:
        if number in parts or not _columns(database, parent):
            continue  # a key of several columns: none of this product's
        target = named or _primary(database, parent)
        names = ", ".join(f"min(c.{_quoted(name)})" for name in primary)
        rows = database.execute(
            f"SELECT c.{_quoted(column)}, count(*), {names} FROM {_quoted(table)} c "
            f"WHERE {where} AND c.{_quoted(column)} IS NOT NULL AND NOT EXISTS "
            f"(SELECT 1 FROM {_quoted(parent)} p WHERE p.{_quoted(target)} = c.{_quoted(column)}) "
            "GROUP BY 1 ORDER BY 3",
            values,
        )
        for missing, count, *key in rows:
            yield Problem(
                table,
                written(dict(zip(primary, key, strict=True))),
                f"{column} names the {parent} {str(missing)[:60]}, which is absent",
                count,
                table in (PART, MESSAGE) and parent in (MESSAGE, SESSION),
            )


def _primary(database: sqlite3.Connection, table: str) -> str:
    rows = database.execute(f"PRAGMA table_info({_quoted(table)})")
    return next((str(row[1]) for row in rows if row[5]), "rowid")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
