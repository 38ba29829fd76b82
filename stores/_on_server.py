"""Stores on a database server: their tables are copied, as they are at one moment."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from suture.model.errors import BadQuery, NothingToRead, Unsupported
from suture.servers.connect import remember, snapshot
from suture.servers.copying import Condition, Share, Tables, Wanted, copy
from suture.servers.server import Server
from suture.stores._disk import DiskFiles
from suture.stores._store import Columns, Head, Store
from suture.stores._where import asked

_FROM = 16 << 20  # bytes of the tables below which one copy is as fast
_COPY = "copy.db"


def copies(
    urls: Sequence[str],
    files: DiskFiles,
    stores: Sequence[Store],
    claimant: Callable[[Head], str | None],
    sessions: Sequence[str],
    where: str | None,
    shares: int = 1,
) -> dict[str, str]:
    """Each database as it is shown → the name of the store that it holds. Of a server no more is
    copied than the `sessions`, if any are named, and of them those that `where` holds for. What is
    large is copied later, in as many `shares`. Raises BadQuery."""
    paths = dict.fromkeys(remember(url) for url in urls)
    return {path: _copied(path, files, stores, claimant, sessions, where, shares) for path in paths}


def _copied(
    path: str,
    files: DiskFiles,
    stores: Sequence[Store],
    claimant: Callable[[Head], str | None],
    sessions: Sequence[str],
    where: str | None,
    shares: int,
) -> str:
    with ExitStack() as held:
        server = held.enter_context(snapshot(path))
        tables = server.columns
        name = claimant(Head(path, b"", tables))
        store = next((store for store in stores if store.name == name), None)
        named = {} if store is None else _wanted(path, store, tables)
        if store is None or not named:
            raise NothingToRead(f"{path}: no session store that suture reads on a server")
        read = {name: own for name, own in tables.items() if name in named}
        condition = None if where is None else _condition(server, store, read, where)
        wanted = Wanted(named, sessions, condition)
        size = server.size(read.keys()) if shares > 1 else 0
        if size >= _FROM and (moment := server.shared()) is not None:
            files.add_shared(path, _Shared(server, moment, size, wanted, held.pop_all().close))
        else:
            files.add_copy(path, lambda folder: copy(server, folder / _COPY, wanted))
    return store.name


class _Shared(Struct, frozen=True):
    """Implements Shared: a transaction that stays open, and others that see what it sees."""

    server: Server
    moment: str
    size: int
    wanted: Wanted
    close: Callable[[], None]

    def whole(self, folder: Path) -> Path:
        return copy(self.server, folder / _COPY, self.wanted)

    def names(self, folder: Path) -> Path:
        return copy(self.server, folder / _COPY, self.wanted, names=True)

    def share(self, number: int, of: int, folder: Path) -> Path:
        with snapshot(self.server.path, self.moment) as server:
            return copy(server, folder / _COPY, self.wanted, Share(number, of))


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
