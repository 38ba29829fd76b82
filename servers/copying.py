"""Tables of a server in a private SQLite file, where the stores read them like any other."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path

from suture.servers.server import Only, Server, Table

_IDENTITY = "suture_server"

Tables = Mapping[str, tuple[str, ...]]  # table → the columns that name its session


def copy(server: Server, target: Path, wanted: Tables, sessions: Collection[str] = ()) -> Path:
    """What of the `wanted` tables is there, whole or of some sessions, in batches."""
    with closing(sqlite3.connect(target, isolation_level=None)) as database:
        database.execute("pragma journal_mode = off")  # a copy that breaks is thrown away
        database.execute("pragma synchronous = off")
        database.execute("begin")
        database.execute(f"create table {_IDENTITY} (identity text)")
        database.execute(f"insert into {_IDENTITY} values (?)", [server.identity])
        for name, owner in wanted.items():
            if table := server.tables.get(name):
                _copy_table(server, table, database, owner, _only(owner, sessions))
        database.execute("commit")
    return target


def identity(database: sqlite3.Connection) -> str:
    """Of the database that a copy was made from."""
    (found,) = database.execute(f"select identity from {_IDENTITY}").fetchone()
    return found if isinstance(found, str) else str(found, "utf-8")


def _only(owner: Sequence[str], sessions: Collection[str]) -> Only | None:
    """By the last column. A name that several owners have is told as `owner/name`."""
    if not owner or not sessions:
        return None
    ends = (
        accumulate(reversed(name.split("/")), lambda end, more: f"{more}/{end}")
        for name in sessions
    )
    return owner[-1], sorted({end for name in ends for end in name})


def _copy_table(
    server: Server,
    table: Table,
    database: sqlite3.Connection,
    owner: Sequence[str],
    only: Only | None,
) -> None:
    terms = [f"{_quoted(column.name)} {_DECLARED[column.kind]}" for column in table.columns]
    key = [table.column(name) for name in table.key]
    if len(key) == 1 and key[0] is not None and key[0].kind == "integer":
        at = table.columns.index(key[0])
        terms[at] = f"{_quoted(key[0].name)} integer primary key"  # the copy numbers rows as well
    elif key and None not in key:
        terms.append(f"primary key ({', '.join(map(_quoted, table.key))})")
    database.execute(f"create table {_quoted(table.name)} ({', '.join(terms)})")
    marks = ", ".join("?" * len(table.columns))
    insert = f"insert into {_quoted(table.name)} values ({marks})"
    for batch in server.batches(table, only):
        database.executemany(insert, batch)
    if owner and tuple(owner) != table.key[: len(owner)]:
        columns = ", ".join(map(_quoted, owner))
        name = _quoted(f"suture_{table.name}")
        database.execute(f"create index {name} on {_quoted(table.name)} ({columns})")


_DECLARED = {"integer": "integer", "boolean": "integer", "bytes": "blob", "text": "text"}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
