"""PostgreSQL through psycopg."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import cast

from suture.model.address import Address
from suture.model.edit import Value
from suture.model.errors import NothingToRead
from suture.servers import server
from suture.servers.failures import DriverMissing, Failure, translated
from suture.servers.server import Column, Connection, Cursor, Server, Table

_KINDS = {"int2": "integer", "int4": "integer", "int8": "integer", "bool": "boolean"} | {
    "bytea": "bytes"
}
_SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "3",
    "statement_timeout": f"{server.STATEMENT_SECONDS}s",
    "lock_timeout": f"{server.LOCK_SECONDS}s",
}
_REASONS = {  # how libpq words it → without the name of the user
    "password authentication failed": "the server refuses the user or the password",
    "no password supplied": "the server wants a password: PGPASSWORD, .pgpass, or in the URL",
    "does not exist": "the server has no such database or user",
    "connection refused": "nothing answers there",
    "timeout": "no answer in time",
    "translate host name": "no host of this name",
    "no pg_hba.conf entry": "the server lets nobody in from here",
    "invalid connection option": "the URL has an option that the driver does not know",
    "starting up": "the server is starting up",
}
_COLUMNS = """
select c.relname::text, a.attname::text, t.typname::text, a.attgenerated <> ''
from pg_catalog.pg_class c
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_catalog.pg_type t on t.oid = a.atttypid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = current_schema() and c.relkind in ('r', 'p')
order by c.relname, a.attnum
"""
_KEYS = """
select c.relname::text, a.attname::text
from pg_catalog.pg_index i
join pg_catalog.pg_class c on c.oid = i.indrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
where i.indisprimary and n.nspname = current_schema()
order by c.relname, array_position(i.indkey::int2[], a.attnum)
"""
_IDENTITY = """
select (select system_identifier from pg_catalog.pg_control_system())::text,
       (select oid from pg_catalog.pg_database where datname = current_database())::text,
       coalesce(current_schema()::text, '')
"""

_SIZE = "select pg_catalog.pg_table_size(%s::regclass)"
_HASH = '(pg_catalog.hashtext({} collate "C") & 65535)'
_ANY = "''"
_EXPORT = """
select pg_catalog.pg_export_snapshot()
from pg_catalog.set_config('idle_in_transaction_session_timeout', '0', false)
"""


class PostgreSQL(Server):
    def __init__(
        self,
        address: Address,
        writes: bool,
        isolation: str = "repeatable read",
        snapshot: str | None = None,
    ) -> None:
        self.address, self._writes = address, writes
        with translated(address, _refusal, reading=True):
            self.connection = _connect(address)
        for name, value in _SETTINGS.items():
            self.ask("select set_config(%s, %s, false)", [name, value])
        self.run(f"begin isolation level {isolation} {'read write' if writes else 'read only'}")
        if snapshot is not None:
            self.run(f"set transaction snapshot '{snapshot}'")

    def prepare(self) -> None:
        system, database, schema = map(str, self.ask(_IDENTITY)[0])
        if not schema:
            raise NothingToRead(f"{self.path}: the user's search path leads to no schema")
        inside = "" if schema == "public" else f" schema {schema}"
        self.identity = f"postgresql system {system} database {database}{inside}"
        keys = self.ask(_KEYS)
        found: dict[str, list[Column]] = {}
        for name, column, kind, generated in self.ask(_COLUMNS):
            columns = found.setdefault(str(name), [])
            if not generated:
                columns.append(Column(str(column), _KINDS.get(str(kind), "text")))
        self.tables = {
            name: Table(name, tuple(columns), tuple(str(c) for t, c in keys if t == name))
            for name, columns in found.items()
        }

    def translated(self) -> AbstractContextManager[None]:
        return translated(self.address, _failure, reading=not self._writes)

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""').replace("%", "%%") + '"'

    def shown(self, column: Column) -> str:
        name = self.quoted(column.name)
        return {"text": f"{name}::text", "boolean": f"{name}::int"}.get(column.kind, name)

    def same(self, column: Column, value: Value) -> tuple[str, list[Value]]:
        name = self.quoted(column.name)
        if column.kind == "bytes":
            return f"{name} is not distinct from %s::bytea", [value]
        read = f"{name}::int::text" if column.kind == "boolean" else f"{name}::text"
        return f"{read} is not distinct from %s::text", [self.bound(column, value)]

    def bound(self, column: Column, value: Value) -> Value:
        """Text without a type takes the type of its column, and is refused if it does not fit."""
        return value if value is None or isinstance(value, bytes) else str(value)

    def insert(self, table: Table, names: Sequence[str]) -> str:
        columns, marks = ", ".join(map(self.quoted, names)), ", ".join(["%s"] * len(names))
        # undo gives a row its old number back, also where the database alone gives numbers
        return (
            f"insert into {self.table(table.name)} ({columns})"
            f" overriding system value values ({marks})"
        )

    def shared(self) -> str | None:
        """Tried at once: what stands between may lead each connection to another server."""
        try:
            ((name,),) = self.ask(_EXPORT)
            other = PostgreSQL(self.address, False, snapshot=str(name))
            other.ask(f"select {_HASH.format(_ANY)}")
            other.close()
        except NothingToRead:
            self.run("rollback")  # it may have failed here
            self.run("begin isolation level repeatable read read only")
            return None
        return str(name)

    def size(self, tables: Collection[str]) -> int:
        sizes = (self.ask(_SIZE, [self.quoted(name).replace("%%", "%")]) for name in tables)
        return sum(int(size or 0) for ((size,),) in sizes)

    def share(self, name: str, number: int, of: int) -> str:
        """By its text: one table may have it as another type than the other, or sort it another
        way."""
        value = _HASH.format(f"{self.quoted(name)}::text")
        return f"coalesce({value}, 0) %% {of} = {number}"

    def stream(self) -> Cursor:
        import psycopg  # noqa: PLC0415

        connection = cast("psycopg.Connection", self.connection)
        # in binary a text is the same bytes, and costs half as much to take in
        return cast(Cursor, connection.cursor(name="suture", binary=True))


def _connect(address: Address) -> Connection:
    try:
        import psycopg  # noqa: PLC0415 (an extra)
    except ImportError:
        raise DriverMissing(
            "PostgreSQL needs a driver: pip install 'suture[postgres]' (or 'psycopg[binary]')"
        ) from None
    wanted: dict[str, str | int | None] = {
        "connect_timeout": 10,
        "application_name": "suture",
        **address.options,
        "host": address.host or None,
        "port": address.port,
        "dbname": address.database,
        "user": address.user,
        "password": address.password,
        "client_encoding": "UTF8",
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    connection = psycopg.connect("", autocommit=True, prepare_threshold=None, **given)  # type: ignore[arg-type]
    return cast(Connection, connection)


def _refusal(error: Exception) -> Failure | None:
    import psycopg  # noqa: PLC0415

    if not isinstance(error, psycopg.Error):
        return None
    said = str(error).lower()
    reason = next((ours for theirs, ours in _REASONS.items() if theirs in said), None)
    return Failure("refused", reason or "the connection failed")


def _failure(error: Exception) -> Failure | None:
    import psycopg  # noqa: PLC0415

    if not isinstance(error, psycopg.Error):
        return None
    code = error.sqlstate or ""
    said = error.diag.message_primary or type(error).__name__
    if code in ("40001", "40P01"):
        return Failure("stale", "another transaction changed the session meanwhile")
    if code.startswith("23"):
        return Failure("stale", said)
    if code == "55P03":
        return Failure("locked", said)
    lost = isinstance(error, psycopg.OperationalError) and (
        not code or code.startswith(("08", "57P"))
    )
    return Failure("lost", "the connection broke") if lost else Failure("failed", said)
