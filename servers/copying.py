"""Tables of a server in a private SQLite file, where the stores read them like any other."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import accumulate, chain
from pathlib import Path

from msgspec import Struct

from suture.model.address import COPIED
from suture.servers.server import Column, Only, Row, Server, Table

_VALUES = 999  # as many as every SQLite binds; a statement for each row costs half as much again

Tables = Mapping[str, tuple[str, ...]]  # table → the columns that name its session


class Condition(Struct, frozen=True):
    """What a user asks of the rows of sessions, in the SQL of the server."""

    table: str
    key: tuple[str, ...]  # names the session, like the columns of the other tables
    sql: str

    def asked(self, server: Server) -> str:
        names = ", ".join(map(server.quoted, self.key))
        # a comment at its end must not hide the bracket
        sql = self.sql.replace("%", "%%")
        return f"select {names} from {server.table(self.table)} where ({sql}\n)"


class Share(Struct, frozen=True):
    """Of the sessions one in `of`, each with all its rows."""

    number: int
    of: int


class Wanted(Struct, frozen=True):
    """Tables, whole or of some sessions."""

    tables: Tables
    sessions: Collection[str] = ()
    condition: Condition | None = None


def copy(
    server: Server, target: Path, wanted: Wanted, share: Share | None = None, names: bool = False
) -> Path:
    """What of the wanted tables is there, in batches. `names`: of rows that belong to a session
    no more than which it is."""
    with closing(sqlite3.connect(target, isolation_level=None)) as database:
        database.execute("pragma page_size = 16384")  # a quarter of the work at the usual 4096
        database.execute("pragma journal_mode = off")  # a copy that breaks is thrown away
        database.execute("pragma synchronous = off")
        database.execute("begin")
        database.execute(f"create table {COPIED} (identity text)")
        database.execute(f"insert into {COPIED} values (?)", [server.identity])
        for name, owner in wanted.tables.items():
            if table := server.tables.get(name):
                only = _only(server, owner, wanted, share)
                if names and owner:
                    _copy_names(server, table, database, owner, only)
                else:
                    _copy_table(server, table, database, owner, only)
        database.execute("commit")
    return target


def identity(database: sqlite3.Connection) -> str:
    """Of the database that a copy was made from."""
    (found,) = database.execute(f"select identity from {COPIED}").fetchone()
    return found if isinstance(found, str) else str(found, "utf-8")


def _only(server: Server, owner: Sequence[str], wanted: Wanted, share: Share | None) -> Only | None:
    terms: list[str] = []
    values: list[str] = []
    condition = wanted.condition
    if owner and share is not None:
        terms.append(server.share(owner[-1], share.number, share.of))
    if owner and wanted.sessions:
        values = _ends(wanted.sessions)
        terms.append(f"{server.quoted(owner[-1])} in ({', '.join(['%s'] * len(values))})")
    if owner and condition is not None:
        names = ", ".join(map(server.quoted, owner))
        terms.append(f"({names}) in ({condition.asked(server)})")
    return Only(" and ".join(terms), values) if terms else None


def _ends(sessions: Collection[str]) -> list[str]:
    """Of the last column. A name that several owners have is told as `owner/name`."""
    ends = (
        accumulate(reversed(name.split("/")), lambda end, more: f"{more}/{end}")
        for name in sessions
    )
    return sorted({end for name in ends for end in name})


def _copy_names(
    server: Server,
    table: Table,
    database: sqlite3.Connection,
    owner: Sequence[str],
    only: Only | None,
) -> None:
    database.execute(f"create table {_quoted(table.name)} ({', '.join(_declared(table))})")
    named = [column for column in table.columns if column.name in owner]
    if named:  # else a mapping names what is not there, and whoever reads the copy says so
        _fill(database, table, named, server.batches(table, only, named))


def _copy_table(
    server: Server,
    table: Table,
    database: sqlite3.Connection,
    owner: Sequence[str],
    only: Only | None,
) -> None:
    terms = _declared(table)
    named = _key(table, owner)
    key = [table.column(name) for name in named]
    if len(key) == 1 and key[0] is not None and key[0].kind == "integer":
        at = table.columns.index(key[0])
        terms[at] = f"{_quoted(key[0].name)} integer primary key"  # the copy numbers rows as well
    elif key and None not in key:
        terms.append(f"primary key ({', '.join(map(_quoted, named))})")
    database.execute(f"create table {_quoted(table.name)} ({', '.join(terms)})")
    _fill(database, table, table.columns, server.batches(table, only))
    if owner and tuple(owner) != named[: len(owner)]:
        columns = ", ".join(map(_quoted, owner))
        name = _quoted(f"suture_{table.name}")
        database.execute(f"create index {name} on {_quoted(table.name)} ({columns})")


def _declared(table: Table) -> list[str]:
    return [f"{_quoted(column.name)} {_DECLARED[column.kind]}" for column in table.columns]


def _fill(
    database: sqlite3.Connection,
    table: Table,
    named: Sequence[Column],
    batches: Iterable[Sequence[Row]],
) -> None:
    columns = ", ".join(_quoted(column.name) for column in named)
    marks = f"({', '.join('?' * len(named))})"

    def insert(rows: int) -> str:
        return f"insert into {_quoted(table.name)} ({columns}) values {', '.join([marks] * rows)}"

    together = max(1, _VALUES // len(named))
    full = insert(together)
    for batch in batches:
        for start in range(0, len(batch), together):
            some = batch[start : start + together]
            sql = full if len(some) == together else insert(len(some))
            database.execute(sql, list(chain.from_iterable(some)))


def _key(table: Table, owner: Sequence[str]) -> tuple[str, ...]:
    """The columns of the key, the session's before the others: one index finds both."""
    if owner and set(owner) <= set(table.key):
        return (*owner, *(name for name in table.key if name not in owner))
    return table.key


_DECLARED = {"integer": "integer", "boolean": "integer", "bytes": "blob", "text": "text"}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
