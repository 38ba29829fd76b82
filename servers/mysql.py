"""MySQL and MariaDB through PyMySQL."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from suture.model.address import Address
from suture.model.edit import Value
from suture.model.errors import SutureError
from suture.servers import server
from suture.servers.failures import DriverMissing, Failure, translated
from suture.servers.server import Column, Connection, Cursor, Server, Table

_INTEGERS = {"tinyint", "smallint", "mediumint", "int", "bigint", "year"}
_BYTES = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
_SETTINGS = (
    "set session time_zone = '+00:00'",
    # not strict, a text that is too long would be cut, and a number that is too large changed
    "set session sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO'",
    f"set session innodb_lock_wait_timeout = {server.LOCK_SECONDS}",
)
_TIMEOUTS = (  # MySQL's in milliseconds, MariaDB's in seconds
    f"set session max_execution_time = {server.STATEMENT_SECONDS * 1000}",
    f"set session max_statement_time = {server.STATEMENT_SECONDS}",
)
_REFUSALS = {
    1044: "the server refuses the user this database",
    1045: "the server refuses the user or the password",
    1049: "the server has no such database",
    1698: "the server refuses the user or the password",
    2003: "nothing answers there",
    2005: "no host of this name",
}
_LARGEST = 1 << 63
_COLUMNS = """
select c.table_name, c.column_name, lower(c.data_type),
       c.extra like '%%VIRTUAL GENERATED%%' or c.extra like '%%STORED GENERATED%%'
from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where c.table_schema = database() and t.table_type = 'BASE TABLE'
order by c.table_name, c.ordinal_position
"""
_KEYS = """
select table_name, column_name from information_schema.key_column_usage
where table_schema = database() and constraint_name = 'PRIMARY'
order by table_name, ordinal_position
"""


class MySQL(Server):
    def __init__(self, address: Address, writes: bool, isolation: str = "repeatable read") -> None:
        self.address, self._writes = address, writes
        with translated(address, _refusal, reading=True):
            self.connection = _connect(address)
        for sql in _SETTINGS:
            self.run(sql)
        for sql in _TIMEOUTS:
            with suppress(SutureError):  # one of the two is unknown to each
                self.run(sql)
        self.run(f"set session transaction isolation level {isolation}")
        # a transaction that locks must not see what was there before it had the lock
        self.run(f"start transaction{'' if writes else ' with consistent snapshot, read only'}")

    def prepare(self) -> None:
        (schema,) = map(str, self.ask("select database()")[0])
        self.identity = f"mysql server {self._server_id()} database {schema}"
        keys = self.ask(_KEYS)
        found: dict[str, list[Column]] = {}
        for name, column, kind, generated in self.ask(_COLUMNS, []):
            columns = found.setdefault(str(name), [])
            if not int(generated or 0):
                columns.append(Column(str(column), _kind(str(kind))))
        self.tables = {
            name: Table(name, tuple(columns), tuple(str(c) for t, c in keys if t == name))
            for name, columns in found.items()
        }

    def _server_id(self) -> str:
        known = {
            str(name): str(value)
            for name, value in self.ask(
                "show variables where variable_name in"
                " ('server_uuid', 'server_uid', 'hostname', 'port', 'datadir', 'server_id')"
            )
        }
        if own := known.get("server_uuid") or known.get("server_uid"):
            return own
        # MariaDB before 10.11 has no id of its own: where its data lie stands for it
        return sha256(repr(sorted(known.items())).encode()).hexdigest()[:32]

    def translated(self) -> AbstractContextManager[None]:
        return translated(self.address, _failure, reading=not self._writes)

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``").replace("%", "%%") + "`"

    def shown(self, column: Column) -> str:
        name = self.quoted(column.name)
        return f"convert({name} using utf8mb4)" if column.kind == "text" else name

    def same(self, column: Column, value: Value) -> tuple[str, list[Value]]:
        """By its bytes: to a collation, upper and lower case may be the same."""
        name = self.quoted(column.name)
        if column.kind != "bytes":
            name = f"cast(convert({name} using utf8mb4) as binary)"
            value = value if value is None or isinstance(value, bytes) else str(value).encode()
        return f"{name} <=> %s", [value]

    def bound(self, column: Column, value: Value) -> Value:
        return value

    def insert(self, table: Table, names: Sequence[str]) -> str:
        columns, marks = ", ".join(map(self.quoted, names)), ", ".join(["%s"] * len(names))
        return f"insert into {self.table(table.name)} ({columns}) values ({marks})"

    def stream(self) -> Cursor:
        from pymysql.cursors import SSCursor  # noqa: PLC0415

        return cast(Cursor, SSCursor(cast(Any, self.connection)))


def _kind(name: str) -> str:
    if name in _INTEGERS:
        return "integer"
    return "bytes" if name in _BYTES else "text"


def _whole(text: str) -> Value:
    number = int(text)
    return number if number < _LARGEST else text  # beyond what SQLite holds


def _encoders(conversions: Mapping[Any, Any]) -> dict[Any, Any]:
    """Without decoders: times and decimals stay the text that the server sent."""
    return {known: how for known, how in conversions.items() if not isinstance(known, int)}


def _numbers() -> list[int]:
    """Only whole numbers would come as what they are not."""
    from pymysql.constants import FIELD_TYPE as T  # noqa: PLC0415

    return [T.TINY, T.SHORT, T.INT24, T.LONG, T.LONGLONG, T.YEAR]


def _connect(address: Address) -> Connection:
    try:
        import pymysql  # noqa: PLC0415 (an extra)
        from pymysql.constants import CLIENT  # noqa: PLC0415
        from pymysql.converters import conversions  # noqa: PLC0415
    except ImportError:
        raise DriverMissing(
            "MySQL needs a driver: pip install 'suture[mysql]' (or 'PyMySQL')"
        ) from None
    import os  # noqa: PLC0415

    own = Path("~/.my.cnf").expanduser()
    wanted: dict[str, Any] = {
        "host": None if address.host.startswith("/") else address.host or None,
        "unix_socket": address.host if address.host.startswith("/") else None,
        "port": address.port,
        "database": address.database,
        "user": address.user or os.environ.get("MYSQL_USER"),
        "password": address.password or os.environ.get("MYSQL_PWD"),
        "read_default_file": str(own) if own.exists() else None,
        "ssl_ca": address.options.get("ssl_ca"),
        "ssl_cert": address.options.get("ssl_cert"),
        "ssl_key": address.options.get("ssl_key"),
    }
    return cast(
        Connection,
        pymysql.connect(
            **{name: value for name, value in wanted.items() if value is not None},
            charset="utf8mb4",
            connect_timeout=10,
            autocommit=True,
            client_flag=CLIENT.FOUND_ROWS,  # else an UPDATE counts only rows that it changed
            conv={**_encoders(conversions), **dict.fromkeys(_numbers(), _whole)},
        ),
    )


def _code(error: Exception) -> int | None:
    import pymysql  # noqa: PLC0415

    if not isinstance(error, pymysql.MySQLError):
        return None
    first = error.args[0] if error.args else 0
    return first if isinstance(first, int) else 0


def _refusal(error: Exception) -> Failure | None:
    code = _code(error)
    return (
        None if code is None else Failure("refused", _REFUSALS.get(code, "the connection failed"))
    )


def _failure(error: Exception) -> Failure | None:
    import pymysql  # noqa: PLC0415

    code = _code(error)
    if code is None:
        return None
    said = str(error.args[1]) if len(error.args) > 1 else type(error).__name__
    if code in (0, 2006, 2013, 2014, 2055, 1053, 1927):
        return Failure("lost", "the connection broke")
    if code == 1213:
        return Failure("stale", "another transaction changed the session meanwhile")
    if code == 1205:
        return Failure("locked", said)
    if isinstance(error, pymysql.IntegrityError):
        return Failure("stale", said)
    return Failure("failed", said)
