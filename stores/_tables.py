"""Rows of a SQLite database as dictionaries, whatever a writer put into them."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, TypedDict, Unpack

from suture.model.edit import Value
from suture.model.operation import Answer, Operation
from suture.model.rows import DamageRow

Record = Mapping[str, Value]

FAR = 1 << 62  # two numbers of messages may be subtracted where numbers have 64 bits

# A BLOB stands for itself in hexadecimal: it has no form in JSON.
encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=bytes.hex).encode

in_quotes = json.encoder.encode_basestring  # what `encoded` makes of a text


def text(data: bytes) -> str | bytes:
    """TEXT that is not UTF-8 stays bytes: the row is read, and its damage can be told."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def select(
    database: sqlite3.Connection, table: str, where: Mapping[str, Value], order: str
) -> Iterator[Record]:
    """Rows with all their columns. `order` is SQL of ours."""
    names, rows = selected(database, table, where, order)
    for row in rows:
        yield dict(zip(names, row, strict=True))


def selected(
    database: sqlite3.Connection, table: str, where: Mapping[str, Value], order: str
) -> tuple[list[str], list[tuple[Value, ...]]]:
    """The same as the names of the columns and the values of each row."""
    terms = " and ".join(f"{quoted(name)} is ?" for name in where) or "1"
    sql = f"select * from {quoted(table)} where {terms} order by "
    values = tuple(where.values())
    database.text_factory = str
    try:
        cursor = database.execute(sql + order, values)
        rows = cursor.fetchall()
    except sqlite3.OperationalError:  # a call of Python for each value only where it is needed
        database.text_factory = text
        cursor = database.execute(sql + with_rowid(database, table, order), values)
        rows = cursor.fetchall()
    database.text_factory = text
    return [column[0] for column in cursor.description], rows


def with_rowid(database: sqlite3.Connection, table: str, order: str) -> str:
    """An order that ends with the rowid. Equal rows of a table WITHOUT ROWID, where it has none,
    lie in the order of its key."""
    last = "rowid"
    if not order.endswith(last):
        return order
    try:
        database.execute(f"select {last} from {quoted(table)} limit 0")
    except sqlite3.OperationalError:
        return f"{order.removesuffix(last)}1"
    return order


def has_columns(tables: Mapping[str, frozenset[str]], needed: Mapping[str, frozenset[str]]) -> bool:
    """Whether every table that is needed is there, with at least its columns."""
    return all(columns <= tables.get(table, frozenset()) for table, columns in needed.items())


def column_names(database: sqlite3.Connection, table: str) -> tuple[str, ...]:
    rows = database.execute("select name from pragma_table_info(?)", (table,))
    return tuple(_name(name) for (name,) in rows)


def _name(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


def next_id(database: sqlite3.Connection, table: str) -> int:
    """The id that the database would give the next row of a table with integer ids."""
    (used,) = database.execute(f"select max(id) from {quoted(table)}").fetchone()
    counted = None
    if database.execute("select 1 from sqlite_master where name = 'sqlite_sequence'").fetchone():
        found = database.execute("select seq from sqlite_sequence where name = ?", (table,))
        counted = found.fetchone()
    return max(used or 0, counted[0] if counted else 0) + 1


def dumped(value: Any, like: Value) -> str:
    """JSON in the manner of another value of the column: some writers leave the blanks out."""
    sample = like if isinstance(like, str) else ""
    compact = '":' in sample and '": ' not in sample
    return json.dumps(
        value, separators=(",", ":") if compact else None, ensure_ascii=sample.isascii()
    )


def in_order(operation: Operation) -> tuple[bool, int, int]:
    """Answers in the order of their calls, whatever order their findings have."""
    if isinstance(operation, Answer):
        return False, operation.n, operation.part
    return True, 0, 0


class _More(TypedDict, total=False):
    session: int
    n: int | None
    field: str | None
    fixable: bool
    fill: str | None
    table: str
    key: str


def row_damage(unit: int, path: str, kind: str, detail: str, **more: Unpack[_More]) -> DamageRow:
    """Damage of a row, which has no place in the bytes of its file."""
    return DamageRow(unit, path, kind, None, None, None, detail, **more)


def unreadable(unit: int, path: str, error: sqlite3.Error | OSError) -> DamageRow:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return row_damage(unit, path, "unreadable", reason.lower(), fixable=False)
