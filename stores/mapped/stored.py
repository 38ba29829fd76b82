"""The rows of one session as they are, in the tables that the mapping names."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from suture.model.edit import Value
from suture.stores._encoding import is_utf8_text
from suture.stores._loaded import MOST_DIGITS
from suture.stores.mapped.mapping import MappingFile
from suture.stores.mapped.rows import Record, Rows, are

# A BLOB stands for itself in hexadecimal: it has no form in JSON.
encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=bytes.hex).encode


_in_quotes = json.encoder.encode_basestring


class Table(Struct, frozen=True):
    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]  # of its primary key; `rowid` where it has none
    needed: frozenset[str] = frozenset()  # a new row must have a value for these

    def key_of(self, row: Record) -> dict[str, Value]:
        return {name: row[name] for name in self.key}

    def place_of(self, row: Record) -> str:
        """The key as JSON, as `encoded` writes it."""
        values = []
        for name in self.key:
            value = row[name]
            if isinstance(value, str):
                values.append(_in_quotes(value))
            elif isinstance(value, int):
                values.append(str(value))
            else:
                return encoded(self.key_of(row))
        return _place(self.key) % tuple(values)

    def places_of(self, rows: Rows) -> list[str]:
        """`place_of` each."""
        columns: list[Sequence[Value]] = []
        for name in self.key:
            values = rows.column(name)
            if are(values, str):
                columns.append([_in_quotes(value) for value in values])  # type: ignore[arg-type]
            elif are(values, int):
                columns.append(values)
            else:
                return [self.place_of(row) for row in rows]
        return list(map(_place(self.key).__mod__, zip(*columns, strict=True)))

    def plain(self, row: Record) -> dict[str, Value]:
        """The row without the rowid that was read beside it."""
        return {name: value for name, value in row.items() if name in self.columns}


@cache
def _place(key: tuple[str, ...]) -> str:
    names = (_in_quotes(name).replace("%", "%%") for name in key)
    return "{" + ",".join(f"{name}:%s" for name in names) + "}"


class Stored(Struct, frozen=True):
    id: str
    head: Record | None  # the session's own row
    messages: Rows  # by ordinal
    summaries: Rows
    tables: Mapping[str, Table]  # by section of the mapping: session, message, summary


def session_ids(database: sqlite3.Connection, mapping: MappingFile) -> list[str | None]:
    """Every session that a table names, also one without a row of its own. Before them None, if
    there are rows of none."""
    database.text_factory = text
    queries = [
        f"select * from (select distinct {quoted(column)} as id from {quoted(table)})"
        for table, column in _ids(mapping)
    ]
    rows = database.execute(f"{' union '.join(queries)} order by id")
    return list(dict.fromkeys(None if name is None else str(name) for (name,) in rows))


def of_none(
    database: sqlite3.Connection, mapping: MappingFile
) -> Iterator[tuple[str, str, str, int]]:
    """The first row of each table that names no session: table, its key, the column, how many."""
    known = {table.name: table for table in tables_of(database, mapping).values()}
    for name, column in _ids(mapping):
        table = known[name]
        key, none = ", ".join(map(quoted, table.key)), f"{quoted(column)} is null"
        sql = f"select {key}, count(*) over () from {quoted(name)} where {none} order by {key}"
        if row := database.execute(f"{sql} limit 1").fetchone():
            *values, count = row
            place = table.place_of(dict(zip(table.key, values, strict=True)))
            yield name, place, column, count


def _ids(mapping: MappingFile) -> Iterator[tuple[str, str]]:
    if mapping.session is not None:
        yield mapping.session.table, mapping.session.id
    yield mapping.message.table, mapping.message.session


def stored(
    database: sqlite3.Connection,
    mapping: MappingFile,
    session: str,
    known: Mapping[str, Table] | None = None,
) -> Stored:
    known = known or tables_of(database, mapping)
    database.text_factory = str
    try:
        return _stored(database, mapping, session, known)
    except sqlite3.OperationalError:  # a call of Python for each value only where it is needed
        database.text_factory = text
        return _stored(database, mapping, session, known)


def tables_of(database: sqlite3.Connection, mapping: MappingFile) -> Mapping[str, Table]:
    """By section of the mapping."""
    named = {"message": mapping.message, "session": mapping.session, "summary": mapping.summary}
    database.text_factory = text
    return {
        name: _table(database, section.table)
        for name, section in named.items()
        if section is not None
    }


def _stored(
    database: sqlite3.Connection, mapping: MappingFile, session: str, tables: Mapping[str, Table]
) -> Stored:
    message, head, summary = mapping.message, mapping.session, mapping.summary
    heads = summaries = Rows((), ())
    if head is not None:
        heads = _rows(database, tables["session"], head.id, session, ())
    if summary is not None:
        order = [name for name in (summary.version, summary.message) if name]
        summaries = _rows(database, tables["summary"], summary.session, session, order)
    rows = _rows(database, tables["message"], message.session, session, [message.ordinal])
    return Stored(session, heads[0] if heads else None, rows, summaries, tables)


def _table(database: sqlite3.Connection, name: str) -> Table:
    sql = 'select name, pk, "notnull" and dflt_value is null from pragma_table_info(?)'
    info = database.execute(sql, (name,)).fetchall()
    key = [str(column) for column, place, _ in sorted(info, key=lambda c: c[1]) if place]
    needed = frozenset(str(column) for column, place, must in info if must and not place)
    names = tuple(str(column) for column, _, _ in info)
    return Table(name, names, tuple(key or ["rowid"]), needed)


def _rows(
    database: sqlite3.Connection, table: Table, column: str, session: str, order: Sequence[str]
) -> Rows:
    """A cast finds ids that are numbers in a column without a type; it can use no index."""
    extra = "rowid, " if table.key == ("rowid",) and "rowid" not in table.columns else ""
    by = ", ".join(quoted(name) for name in (*order, *table.key))
    sql = f"select {extra}* from {quoted(table.name)} where {{}} order by {by}"
    value, mark = (session, "?") if is_utf8_text(session) else (_bytes(session), "cast(? as text)")
    for term in (f"{quoted(column)} = {mark}", f"cast({quoted(column)} as text) = {mark}"):
        cursor = database.execute(sql.format(term), (value,))
        if rows := cursor.fetchall():
            return Rows(tuple(found[0] for found in cursor.description), rows)
        if not session.lstrip("-").isdigit():
            break
    return Rows((), ())


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def text(data: bytes) -> str:
    """TEXT that is not UTF-8 comes with half surrogates, as row edits write it back."""
    return data.decode("utf-8", "surrogateescape")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def integer(value: Value) -> int | None:
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        return int(value) if len(value) <= MOST_DIGITS else None
    return value if isinstance(value, int) else None


def string(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def is_set(value: Value) -> bool:
    """As SQL and most languages take a flag."""
    return value not in (None, 0, "", "0", "false", "f", "no", b"")


def shown(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return json.dumps(value, ensure_ascii=False, default=str)
