"""The sessions of a SQLite database that a condition of the user's holds for."""

import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing

from suture.model.errors import BadQuery
from suture.model.files import Files
from suture.model.unit import Unit
from suture.stores._sqlite import columns
from suture.stores._store import Heads, Store, no_heads


def asked(
    path: str, store: Store, mapping: str | None, tables: Mapping[str, frozenset[str]]
) -> Heads:
    """The tables of sessions. Raises BadQuery if there is none."""
    heads = store.heads(tables, mapping)
    there = {name: key for name, key in heads.items() if tables.get(name, frozenset()) >= {*key}}
    if not there:
        raise BadQuery(
            f"{path}: --where asks a table of sessions, and {store.name} keeps none there"
        )
    return there


def sessions_where(store: Store, unit: Unit, files: Files, where: str) -> Collection[str]:
    """Their names, as units have them. Asked of the private copy, which it cannot change; raises
    BadQuery."""
    path = unit.paths[0]
    if store.heads is no_heads:
        asked(path, store, None, {})
    try:
        with closing(files.sqlite(path)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            heads = asked(path, store, unit.mapping, columns(database))
            database.execute("pragma query_only = on")
            return {
                name for table, key in heads.items() for name in _names(database, table, key, where)
            }
    except sqlite3.Error as error:
        raise BadQuery(f"{path}: --where: {error}") from error


def _names(
    database: sqlite3.Connection, table: str, key: tuple[str, ...], where: str
) -> Collection[str]:
    """A name that several owners have is that of the unit only with its owners before it."""
    names = ", ".join(map(_quoted, key))
    # a comment at its end must not hide the bracket
    rows = database.execute(f"select {names} from {_quoted(table)} where ({where}\n)")
    return {name for row in rows for name in (str(row[-1]), "/".join(map(str, row)))}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
