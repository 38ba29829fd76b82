"""Stores on a database server: their tables are copied, as they are at one moment."""

from collections.abc import Callable, Sequence

from suture.model.errors import NothingToRead
from suture.servers.connect import remember, snapshot
from suture.servers.copying import copy
from suture.stores._disk import DiskFiles
from suture.stores._store import Head, Store


def copies(
    urls: Sequence[str],
    files: DiskFiles,
    stores: Sequence[Store],
    claimant: Callable[[Head], str | None],
    sessions: Sequence[str],
) -> dict[str, str]:
    """Each database as it is shown → the name of the store that it holds. Of a server no more is
    copied than the `sessions`, if any are named."""
    paths = dict.fromkeys(remember(url) for url in urls)
    return {path: _copied(path, files, stores, claimant, sessions) for path in paths}


def _copied(
    path: str,
    files: DiskFiles,
    stores: Sequence[Store],
    claimant: Callable[[Head], str | None],
    sessions: Sequence[str],
) -> str:
    with snapshot(path) as server:
        tables = {
            name: frozenset(column.name for column in table.columns)
            for name, table in server.tables.items()
        }
        name = claimant(Head(path, b"", tables))
        store = next((store for store in stores if store.name == name), None)
        if store is None or not store.server():
            raise NothingToRead(f"{path}: no session store that suture reads on a server")
        files.add_copy(
            path, lambda folder: copy(server, folder / "copy.db", store.server(), sessions)
        )
    return store.name
