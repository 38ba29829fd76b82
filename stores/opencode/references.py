"""References that lead nowhere, asked for one session: foreign keys are looked up by index."""

import sqlite3
from collections.abc import Iterable, Iterator

from msgspec import Struct

from suture.stores.opencode.stored import MESSAGE, PART, SESSION, Problem
from suture.stores.opencode.values import written

_OWNER = ("session_id", "aggregate_id")  # what says whose row it is


class Reference(Struct, frozen=True):
    """A column that names rows of another table, and the query for those that are absent."""

    table: str
    owner: str | None  # the column that says whose row it is
    column: str
    parent: str
    primary: tuple[str, ...]
    sql: str

    def dangling(self, database: sqlite3.Connection, values: tuple[str, ...]) -> Iterator[Problem]:
        """Of each absent target one, at its first row."""
        for missing, count, *key in database.execute(self.sql, values):
            yield Problem(
                self.table,
                written(dict(zip(self.primary, key, strict=True))),
                f"{self.column} names the {self.parent} {str(missing)[:60]}, which is absent",
                count,
                self.table in (PART, MESSAGE) and self.parent in (MESSAGE, SESSION),
            )


def problems(
    database: sqlite3.Connection, session_id: str, known: Iterable[Reference]
) -> Iterator[Problem]:
    for reference in known:
        if reference.owner is not None:
            yield from reference.dangling(database, (session_id,))


def strangers(database: sqlite3.Connection) -> Iterator[Problem]:
    """The same for rows that belong to no session."""
    for reference in references(database):
        if reference.owner is None:
            yield from reference.dangling(database, ())


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


def references(database: sqlite3.Connection) -> Iterator[Reference]:
    for table in _names(database):
        owner = _owner(database, table)
        keys = database.execute(f"PRAGMA foreign_key_list({_quoted(table)})").fetchall()
        parts = [key[0] for key in keys if key[1] > 0]
        info = database.execute(f"PRAGMA table_info({_quoted(table)})")
        primary = tuple(str(row[1]) for row in info if row[5]) or ("rowid",)
        for number, _, parent, column, named, *_ in keys:
            if number in parts or not _columns(database, parent):
                continue  # a key of several columns: none of this product's
            target = named or _primary(database, parent)
            names = ", ".join(f"min(c.{_quoted(name)})" for name in primary)
            where = "1" if owner is None else f"{_quoted(owner)} = ?"
            sql = (
                f"SELECT c.{_quoted(column)}, count(*), {names} FROM {_quoted(table)} c "
                f"WHERE {where} AND c.{_quoted(column)} IS NOT NULL AND NOT EXISTS "
                f"(SELECT 1 FROM {_quoted(parent)} p "
                f"WHERE p.{_quoted(target)} = c.{_quoted(column)}) GROUP BY 1 ORDER BY 3"
            )
            yield Reference(table, owner, str(column), str(parent), primary, sql)


def _primary(database: sqlite3.Connection, table: str) -> str:
    rows = database.execute(f"PRAGMA table_info({_quoted(table)})")
    return next((str(row[1]) for row in rows if row[5]), "rowid")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
