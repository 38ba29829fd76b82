"""The rows that a repair of a database may touch, as they are at one moment, and back to them.

The dump of a table goes by rowid, so the rowid belongs to the image even where it has no name.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from suture.model.edit import RowEdit, Value
from suture.model.errors import ApplyFailed
from suture.repair.codec import Json, value_from, value_json
from suture.repair.rows import bound, matching, quoted, statement

PASSES = 4  # triggers may undo a restored row once; more is a store that fights back
_SESSION = ("session_id", "thread_id")  # columns that name the session of a row
_WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}


class Scope(Struct, frozen=True):
    """Rows of one table: those that fit any of the conditions, or all (None)."""

    table: str
    columns: tuple[str, ...]  # what tells rows apart comes first
    key: int  # how many columns do that
    conditions: tuple[dict[str, Json], ...] | None
    counted: bool  # AUTOINCREMENT


class Image(Struct, frozen=True):
    rows: dict[str, list[list[Json]]]  # by table
    counters: dict[str, int | None]  # of sqlite_sequence


def scopes(connection: sqlite3.Connection, edits: Sequence[RowEdit]) -> tuple[Scope, ...]:
    """The edited rows, all rows of their sessions, and what triggers write."""
    edits = [edit for edit in edits if (edit.before, edit.after) != (None, None)]
    direct = dict.fromkeys(edit.table for edit in edits)
    written = _written(connection, edits)
    found: list[Scope] = []
    sessions = {name: list(dict.fromkeys(_values(edits, name))) for name in _SESSION}
    for table in [*direct, *sorted(written - direct.keys())]:
        sql = _definition(connection, table)
        if sql is None or table.startswith("sqlite_"):
            continue
        columns, key = _columns(connection, table)
        conditions: tuple[dict[str, Json], ...] | None = None
        named = next((n for n in _SESSION if n in columns and sessions[n]), None)
        if named is not None:
            conditions = tuple({named: value_json(value)} for value in sessions[named])
        elif table in direct:
            keys = [edit.key for edit in edits if edit.table == table]
            conditions = tuple({n: value_json(v) for n, v in key.items()} for key in keys)
        found.append(Scope(table, columns, key, conditions, "AUTOINCREMENT" in sql.upper()))
    return tuple(found)


def _values(edits: Iterable[RowEdit], column: str) -> Iterator[Value]:
    for edit in edits:
        for row in (edit.key, edit.before or {}, edit.after or {}):
            if column in row:
                yield row[column]


def _written(connection: sqlite3.Connection, edits: Sequence[RowEdit]) -> set[str]:
    """Tables that the statements write by themselves or through triggers, asked of SQLite."""
    tables: set[str] = set()

    def note(
        action: int, table: str | None, _: str | None, database: str | None, __: str | None
    ) -> int:
        if action in _WRITES and table is not None and database == "main":
            tables.add(table)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    try:
        for sql, values in dict(statement(edit) for edit in edits).items():
            connection.execute(f"EXPLAIN {sql}", values).fetchall()
    finally:
        connection.set_authorizer(None)
    return tables


def _definition(connection: sqlite3.Connection, table: str) -> str | None:
    found = connection.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)", [table]
    ).fetchone()
    if found is None or str(found[0]).upper().startswith("CREATE VIRTUAL"):
        return None  # a full-text index follows its table by triggers
    return str(found[0])


def _columns(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], int]:
    info = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
    names = [str(row[1]) for row in info]
    primary = sorted((row[5], str(row[1]), str(row[2])) for row in info if row[5])
    if len(primary) == 1 and primary[0][2].upper() == "INTEGER":
        keys = [primary[0][1]]  # another name of the rowid
    elif hidden := _rowid(connection, table, names):
        return (hidden, *names), 1
    else:
        keys = [name for _, name, _ in primary]
    return (*keys, *(name for name in names if name not in keys)), len(keys)


def _rowid(connection: sqlite3.Connection, table: str, names: list[str]) -> str | None:
    taken = {name.lower() for name in names}
    for name in ("rowid", "_rowid_", "oid"):
        if name in taken:
            continue
        try:
            connection.execute(f"SELECT {name} FROM {quoted(table)} LIMIT 0")
        except sqlite3.OperationalError:
            return None  # WITHOUT ROWID
        return name
    return None


def capture(connection: sqlite3.Connection, wanted: Sequence[Scope]) -> Image:
    rows = {scope.table: _rows(connection, scope) for scope in wanted}
    counters = {scope.table: _counter(connection, scope.table) for scope in wanted if scope.counted}
    return Image(rows, counters)


def _rows(connection: sqlite3.Connection, scope: Scope) -> list[list[Json]]:
    names = ", ".join(map(quoted, scope.columns))
    order = ", ".join(map(quoted, scope.columns[: scope.key])) or "1"
    found: dict[str, list[Json]] = {}
    for condition in [{}] if scope.conditions is None else scope.conditions:
        where, values = matching({name: value_from(value) for name, value in condition.items()})
        sql = f"SELECT {names} FROM {quoted(scope.table)} WHERE {where or '1'} ORDER BY {order}"
        for row in connection.execute(sql, values):
            encoded = [value_json(value) for value in row]
            found[json.dumps(encoded[: scope.key])] = encoded
    return list(found.values())


def _counter(connection: sqlite3.Connection, table: str) -> int | None:
    sql = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    found = connection.execute(sql, [table]).fetchone()
    return None if found is None else int(found[0])


def restore(
    connection: sqlite3.Connection, wanted: Sequence[Scope], old: Image, new: Image
) -> None:
    """Turn the rows back, and those again that triggers changed on the way. A counter goes back
    only if nobody else has counted on."""
    counters = capture(connection, wanted).counters
    for _ in range(PASSES):
        for scope in wanted:
            _restore_table(connection, scope, old.rows[scope.table])
        if capture(connection, wanted).rows == old.rows:
            break
    else:
        raise ApplyFailed("triggers of the database change the rows that are put back")
    for table, seq in old.counters.items():
        if counters[table] == new.counters[table]:
            _restore_counter(connection, table, seq)


def _restore_table(
    connection: sqlite3.Connection, scope: Scope, wanted: Sequence[Sequence[Json]]
) -> None:
    table, names = quoted(scope.table), [quoted(name) for name in scope.columns]
    target = {json.dumps(row): row for row in wanted}
    found = {json.dumps(row): row for row in _rows(connection, scope)}
    for text, row in found.items():
        if text not in target:
            key = dict(zip(scope.columns[: scope.key], map(value_from, row), strict=False))
            where, values = matching(key)
            connection.execute(f"DELETE FROM {table} WHERE {where}", values)
    for text, wanted_row in target.items():
        if text not in found:
            terms = [bound(value_from(value)) for value in wanted_row]
            marks = ", ".join(sql for sql, _ in terms)
            connection.execute(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",
                [value for _, value in terms],
            )


def _restore_counter(connection: sqlite3.Connection, table: str, seq: int | None) -> None:
    if seq is None:
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
    else:
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [seq, table])
