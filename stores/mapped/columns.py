"""Whether the tables and columns that a mapping names are there."""

import sqlite3
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

from suture.stores._sqlite import columns
from suture.stores.mapped.mapping import MappingFile, places
from suture.stores.mapped.places import place

Key = tuple[str, ...]
Tables = Mapping[str, frozenset[str]]

# Keys whose value is a column of the section's own table.
_COLUMNS = {
    "session": (
        *("id", "counter", "version", "status", "closed", "head"),
        *("created", "model", "cwd", "parent"),
    ),
    "message": ("session", "ordinal", "payload", "id", "time", "version", "active"),
    "summary": ("session", "message", "version", "covers", "first", "last"),
}
_SPELT = {"first": "from", "last": "to"}


def absent(database: sqlite3.Connection, mapping: MappingFile) -> list[tuple[Key, str]]:
    """What the mapping names and the database has not, with the key that names it."""
    known = columns(database)
    found: list[tuple[Key, str]] = []
    missing: set[str] = set()
    for section in _COLUMNS:
        table = _table(mapping, section)
        if table is not None and table not in known:
            missing.add(table)
            found.append(((section, "table"), _no_table(table, known)))
    for key, table, column in _named(mapping):
        if table not in missing and column not in known[table]:
            there = ", ".join(sorted(known[table]))
            found.append((key, f"table {table} has no column {column!r}; its columns are {there}"))
    return found


def _no_table(table: str, known: Tables) -> str:
    there = ", ".join(sorted(name for name in known if not name.startswith("sqlite_")))
    return f"the database has no table {table!r}; its tables are {there or 'none at all'}"


def _table(mapping: MappingFile, section: str) -> str | None:
    found = getattr(mapping, section)
    return None if found is None else cast(str, found.table)


def _named(mapping: MappingFile) -> Iterator[tuple[Key, str, str]]:
    """Every key that names a column, with its table and the column."""
    for section, keys in _COLUMNS.items():
        table = _table(mapping, section)
        for key in keys if table is not None else ():
            if (column := getattr(getattr(mapping, section), key)) is not None:
                spelt = _SPELT.get(key, key) if section == "summary" else key
                yield (section, str(spelt)), str(table), str(column)
    table = mapping.message.table
    for path, text in places(mapping):
        if (column := place(text).column) is not None:
            yield path, table, column
    yield from ((key, table, column) for key, column in _hashed(mapping))
    for part in ("answer", "note"):
        row = getattr(mapping.write, part, None)
        yield from ((("write", part, column), table, column) for column in row or ())


def _hashed(mapping: MappingFile) -> Iterator[tuple[Key, str]]:
    for part in ("content", "chain"):
        found = getattr(mapping.hash, part, None)
        if found is None:
            continue
        for key, value in msgspec.to_builtins(found).items():
            for column in value if isinstance(value, list) else [value]:
                yield ("hash", part, key), column
