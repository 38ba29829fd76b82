"""Stores on a database server: their tables are copied, as they are at one moment."""

from collections.abc import Callable, Sequence

from suture.model.errors import BadQuery, NothingToRead, Unsupported
from suture.servers.connect import remember, snapshot
from suture.servers.copying import Condition, Tables, copy
from suture.servers.server import Server
from suture.stores._disk import DiskFiles
from suture.stores._store import Columns, Head, Store
from suture.stores._where import asked


def copies(
    urls: Sequence[str],
    files: DiskFiles,
    stores: Sequence[Store],
    claimant: Callable[[Head], str | None],
    sessions: Sequence[str],
    where: str | None,
) -> dict[str, str]:
    """Each database as it is shown → the name of the store that it holds. Of a server no more is
    copied than the `sessions`, if any are named, and of them those that `where` holds for. Raises
    BadQuery."""
    paths = dict.fromkeys(remember(url) for url in urls)
    return {path: _copied(path, files, stores, claimant, sessions, where) for path in paths}


def _copied(
    path: str,
    files: DiskFiles,
    stores: Sequence[Store],
    claimant: Callable[[Head], str | None],
    sessions: Sequence[str],
    where: str | None,
) -> str:
    with snapshot(path) as server:
        tables = server.columns
        name = claimant(Head(path, b"", tables))
        store = next((store for store in stores if store.name == name), None)
        wanted = {} if store is None else _wanted(path, store, tables)
        if store is None or not wanted:
            raise NothingToRead(f"{path}: no session store that suture reads on a server")
        read = {name: own for name, own in tables.items() if name in wanted}
        condition = None if where is None else _condition(server, store, read, where)
        files.add_copy(
            path,
            lambda folder: copy(server, folder / "copy.db", wanted, sessions, condition),
        )
    return store.name


def _wanted(path: str, store: Store, tables: Columns) -> Tables:
    try:
        return store.server(tables)
    except Unsupported as reason:
        raise NothingToRead(f"{path}: {reason}") from None


def _condition(server: Server, store: Store, tables: Columns, where: str) -> Condition:
    table, key = next(iter(asked(server.path, store, None, tables).items()))
    condition = Condition(table, key, where)
    try:
        server.ask(f"{condition.asked(server)} limit 0", [])
    except NothingToRead as error:
        raise BadQuery(str(error)) from None
    return condition
