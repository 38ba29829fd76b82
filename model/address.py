"""The URL of a database server, as SQLAlchemy writes it, and how it may be shown."""

import os
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, unquote

from msgspec import Struct, field

from suture.model.errors import NothingToRead

POSTGRESQL, MYSQL = "postgresql", "mysql"
_DIALECTS = {"postgresql": POSTGRESQL, "postgres": POSTGRESQL, "mysql": MYSQL, "mariadb": MYSQL}
_PORTS = {POSTGRESQL: 5432, MYSQL: 3306}
_ENVIRONMENT = {POSTGRESQL: ("PGPORT", "PGDATABASE"), MYSQL: ("MYSQL_TCP_PORT", "MYSQL_DATABASE")}
_SEPARATE = {"user", "password", "passwd"}
_URL = re.compile(
    r"[\w+]+://"
    r"(?:(?P<user>[^:/@]*)(?::(?P<password>[^@]*))?@)?"
    r"(?P<host>\[[^\]/?]+\]|[^:/?@]*)(?::(?P<port>\d*))?"
    r"(?:/(?P<database>[^?@]*))?(?:\?(?P<query>.*))?",
    re.DOTALL,
)


COPIED = "suture_server"  # a table of the private copy that is made of a server's tables


class Address(Struct, frozen=True):
    dialect: str  # postgresql | mysql
    host: str  # empty: the driver's default; a path: the folder or file of a socket
    port: int
    database: str
    user: str | None = None
    password: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)  # for the driver

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        """Without user and password: all that reports, plans and journals ever see."""
        host = f"[{self.host}]" if ":" in self.host else quote(self.host, safe="")
        return f"{self.dialect}://{host}:{self.port}/{quote(self.database, safe='')}"


def is_server(path: str) -> bool:
    return "://" in path and _dialect(path) is not None


def _dialect(text: str) -> str | None:
    return _DIALECTS.get(text.split("://", 1)[0].split("+", 1)[0].lower())


def address(text: str) -> Address:
    """Raises NothingToRead, and does not repeat a text that may hold a password."""
    dialect, found = _dialect(text), _URL.fullmatch(text)
    if dialect is None:
        raise NothingToRead("servers are read by postgresql:// and mysql:// URLs")
    if found is None:
        raise NothingToRead(
            f"not a URL of the form {dialect}://USER:PASSWORD@HOST:PORT/DATABASE; in a password,"
            " @ is written %40"
        )
    port_name, database_name = _ENVIRONMENT[dialect]
    query = dict(parse_qsl(found["query"] or "", keep_blank_values=True))
    host = unquote(found["host"].strip("[]")) or query.pop("host", "")
    host = host or query.pop("unix_socket", "")
    database = unquote(found["database"] or "") or os.environ.get(database_name, "")
    if not database:
        raise NothingToRead(f"{dialect}://{quote(host)}: the URL names no database")
    port = found["port"] or query.pop("port", "") or os.environ.get(port_name, "")
    return Address(
        dialect,
        host,
        int(port) if port.isdecimal() else _PORTS[dialect],
        database,
        _plain(found["user"]) or query.get("user"),
        _plain(found["password"]) or query.get("password"),
        {name: value for name, value in query.items() if name not in _SEPARATE},
    )


def _plain(text: str | None) -> str | None:
    return unquote(text) if text else None


def shown(text: str) -> str:
    """What was typed, without user and password."""
    if "://" not in text:
        return text
    try:
        return address(text).shown
    except NothingToRead:
        return text.split("://", 1)[0] + "://"
