"""The rows of one session as they are, in the tables that the mapping names."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from suture.model.edit import Value
from suture.stores.mapped.mapping import MappingFile

Record = Mapping[str, Value]

# A BLOB stands for itself in hexadecimal: it has no form in JSON.
encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=bytes.hex).encode


_in_quotes = json.encoder.encode_basestring


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]  # of its primary key; `rowid` where it has none
    needed: frozenset[str] = frozenset()  # a new row must have a value for these

    def key_of(self, row: Record) -> dict[str, Value]:
        return {name: row[name] for name in self.key}

    def place_of(self, row: Record) -> str:
        """The key as JSON, as `encoded` writes it."""
        parts = []
        for name in self.key:
            value = row[name]
            if not isinstance(value, str | int):
                return encoded(self.key_of(row))
            shown = _in_quotes(value) if isinstance(value, str) else str(value)
            parts.append(f"{_in_quotes(name)}:{shown}")
        return "{" + ",".join(parts) + "}"

    def plain(self, row: Record) -> dict[str, Value]:
        """The row without the rowid that was read beside it."""
        return {name: value for name, value in row.items() if name in self.columns}


@dataclass(frozen=True, slots=True)
class Stored:
    id: str
    head: Record | None  # the session's own row
    messages: tuple[Record, ...]  # by ordinal
    summaries: tuple[Record, ...]
    tables: Mapping[str, Table]  # by section of the mapping: session, message, summary


def session_ids(database: sqlite3.Connection, mapping: MappingFile) -> list[str]:
    """Every session that a table names, also one without a row of its own."""
    database.text_factory = text
    queries = [
        f"select {quoted(column)} as id from {quoted(table)}" for table, column in _ids(mapping)
    ]
    rows = database.execute(f"{' union '.join(queries)} order by id")
    return list(dict.fromkeys(str(name) for (name,) in rows if name is not None))


def _ids(mapping: MappingFile) -> Iterator[tuple[str, str]]:
    if mapping.session is not None:
        yield mapping.session.table, mapping.session.id
    yield mapping.message.table, mapping.message.session


def stored(database: sqlite3.Connection, mapping: MappingFile, session: str) -> Stored:
    database.text_factory = text
    message, head, summary = mapping.message, mapping.session, mapping.summary
    tables = {"message": _table(database, message.table)}
    heads: Sequence[Record] = ()
    summaries: Sequence[Record] = ()
    if head is not None:
        tables["session"] = _table(database, head.table)
        heads = _rows(database, tables["session"], head.id, session, ())
    if summary is not None:
        tables["summary"] = _table(database, summary.table)
        order = [name for name in (summary.version, summary.message) if name]
        summaries = _rows(database, tables["summary"], summary.session, session, order)
    rows = _rows(database, tables["message"], message.session, session, [message.ordinal])
    return Stored(session, heads[0] if heads else None, tuple(rows), tuple(summaries), tables)


def _table(database: sqlite3.Connection, name: str) -> Table:
    sql = 'select name, pk, "notnull" and dflt_value is null from pragma_table_info(?)'
    info = database.execute(sql, (name,)).fetchall()
    key = [str(column) for column, place, _ in sorted(info, key=lambda c: c[1]) if place]
    needed = frozenset(str(column) for column, place, must in info if must and not place)
    names = tuple(str(column) for column, _, _ in info)
    return Table(name, names, tuple(key or ["rowid"]), needed)


def _rows(
    database: sqlite3.Connection, table: Table, column: str, session: str, order: Sequence[str]
) -> list[Record]:
    """A cast finds ids that are numbers in a column without a type; it can use no index."""
    extra = "rowid, " if table.key == ("rowid",) and "rowid" not in table.columns else ""
    by = ", ".join(quoted(name) for name in (*order, *table.key))
    sql = f"select {extra}* from {quoted(table.name)} where {{}} order by {by}"
    for term in (f"{quoted(column)} = ?", f"cast({quoted(column)} as text) = ?"):
        cursor = database.execute(sql.format(term), (session,))
        names = [found[0] for found in cursor.description]
        if rows := [dict(zip(names, row, strict=True)) for row in cursor]:
            return list(rows)
        if not session.lstrip("-").isdigit():
            break
    return []


def text(data: bytes) -> str:
    """TEXT that is not UTF-8 comes with half surrogates, as row edits write it back."""
    return data.decode("utf-8", "surrogateescape")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def integer(value: Value) -> int | None:
    if isinstance(value, str) and value.lstrip("-").isdecimal():
        return int(value)
    return value if isinstance(value, int) else None


def string(value: Value) -> str | None:
    return value if isinstance(value, str) else None
