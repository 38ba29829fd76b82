"""A connection to a database server, and what differs between the dialects.

All but whole numbers and bytes is read as the text that the server makes of it, and compared as
that text: JSON, decimals and times have no other form in which they are the same on both sides.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from msgspec import Struct

from suture.model.address import Address
from suture.model.edit import Value

BATCH = 5_000  # rows in memory at a time
STATEMENT_SECONDS = 600
LOCK_SECONDS = 5

Row = Sequence[Value]


class Only(Struct, frozen=True):
    """A condition on the rows of a table, as the driver takes it."""

    sql: str
    values: Sequence[Value]


class Column(Struct, frozen=True):
    name: str
    kind: str  # integer | boolean | bytes | text


class Table(Struct, frozen=True):
    name: str
    columns: tuple[Column, ...]  # without generated ones: they cannot be written
    key: tuple[str, ...]

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...

    def execute(self, sql: str, values: Sequence[Value], /) -> object: ...

    def fetchall(self) -> Sequence[Row]: ...

    def fetchmany(self, size: int, /) -> Sequence[Row]: ...

    def close(self) -> None: ...


class Connection(Protocol):
    def cursor(self) -> Cursor: ...

    def close(self) -> None: ...


class Server(ABC):
    """One transaction on a server: repeatable read, `writes` or read-only."""

    connection: Connection
    address: Address
    tables: Mapping[str, Table]
    identity: str  # of the database itself, whatever its address

    @property
    def path(self) -> str:
        return self.address.shown

    @property
    def columns(self) -> dict[str, frozenset[str]]:
        return {
            name: frozenset(column.name for column in table.columns)
            for name, table in self.tables.items()
        }

    @abstractmethod
    def prepare(self) -> None:
        """Look at the database. In a transaction that locks, after the lock."""

    @abstractmethod
    def translated(self) -> AbstractContextManager[None]: ...

    @abstractmethod
    def quoted(self, name: str) -> str: ...

    @abstractmethod
    def shown(self, column: Column) -> str:
        """The SQL that reads a column."""

    @abstractmethod
    def same(self, column: Column, value: Value) -> tuple[str, list[Value]]:
        """A condition that holds for exactly this value, NULL too."""

    @abstractmethod
    def bound(self, column: Column, value: Value) -> Value:
        """A value as the driver takes it for the column."""

    @abstractmethod
    def insert(self, table: Table, names: Sequence[str]) -> str:
        """An INSERT with a place for the value of each named column."""

    def shared(self) -> str | None:
        """A name by which other connections see what this transaction sees, as long as it is
        open; None where the server has no such thing."""
        return None

    def size(self, tables: Collection[str]) -> int:
        """Bytes, as far as the server tells."""
        return 0

    def share(self, name: str, number: int, of: int) -> str:
        """A condition on a column that holds for part `number` of its values, out of `of`: for the
        same values in each table. Only a server whose transactions are `shared` has it."""
        raise NotImplementedError

    @abstractmethod
    def stream(self) -> Cursor:
        """A cursor whose rows stay on the server until they are fetched."""

    def table(self, name: str) -> str:
        return self.quoted(name)

    def batches(
        self, table: Table, only: Only | None = None, distinct: Sequence[Column] = ()
    ) -> Iterator[Sequence[Row]]:
        """The rows of a table, or the `distinct` values of some columns."""
        where, values = "", list[Value]()
        if only is not None:
            where, values = f" where {only.sql}", list(only.values)
        names = ", ".join(map(self.shown, distinct or table.columns))
        names = f"distinct {names}" if distinct else names
        with self.translated():
            cursor = self.stream()
            try:
                cursor.execute(f"select {names} from {self.table(table.name)}{where}", values)
                while rows := cursor.fetchmany(BATCH):
                    yield rows
            finally:
                with suppress(Exception):  # of a broken connection: that it broke is told already
                    cursor.close()

    def rows(self, table: Table, where: str, values: Sequence[Value]) -> list[Row]:
        names = ", ".join(map(self.shown, table.columns))
        sql = f"select {names} from {self.table(table.name)} where {where}"
        return list(self.ask(sql, values))

    def ask(self, sql: str, values: Sequence[Value] = ()) -> Sequence[Row]:
        with self.translated():
            cursor = self.connection.cursor()
            try:
                cursor.execute(sql, values)
                return cursor.fetchall()
            finally:
                cursor.close()

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """The number of rows that the statement found, changed or not."""
        with self.translated():
            cursor = self.connection.cursor()
            try:
                cursor.execute(sql, values)
                return cursor.rowcount
            finally:
                cursor.close()

    def commit(self) -> None:
        self.run("commit")

    def close(self) -> None:
        """Without COMMIT: what was not committed is gone."""
        self.connection.close()
