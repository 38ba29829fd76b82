"""From an address to an open transaction, with credentials that no path carries."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from suture.model.address import MYSQL, Address, address
from suture.servers.mysql import MySQL
from suture.servers.postgresql import PostgreSQL
from suture.servers.server import Server

_URL = "SUTURE_DATABASE_URL"
_typed: dict[str, Address] = {}  # by what is shown of them: plans and units name servers that way


def remember(text: str) -> str:
    """Keep the credentials of a URL for this process; returns what may be shown of it."""
    found = address(text)
    if found.user or found.password or found.options:
        _typed[found.shown] = found
    return found.shown


def _address(path: str) -> Address:
    """Who only has the path finds user and password in the environment or the driver's files."""
    if path in _typed:
        return _typed[path]
    if (text := os.environ.get(_URL)) and (found := address(text)).shown == path:
        return found
    return address(path)


@contextmanager
def snapshot(path: str, shared: str | None = None) -> Iterator[Server]:
    """All that is read is of one moment; of that of another connection, if it is `shared`."""
    with _opened(path, False, "repeatable read", shared) as server:
        server.prepare()
        yield server


@contextmanager
def transaction(path: str, isolation: str = "repeatable read") -> Iterator[Server]:
    """Rolled back unless committed. `prepare` it once it holds its locks."""
    with _opened(path, True, isolation) as server:
        yield server


@contextmanager
def _opened(
    path: str, writes: bool, isolation: str, shared: str | None = None
) -> Iterator[PostgreSQL | MySQL]:
    found = _address(path)
    server: PostgreSQL | MySQL
    if found.dialect == MYSQL:
        server = MySQL(found, writes, isolation)
    else:
        server = PostgreSQL(found, writes, isolation, shared)
    try:
        yield server
    finally:
        server.close()
