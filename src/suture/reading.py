"""Units → tables in Arrow, on several processes when there is enough to read."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

from suture import stores
from suture.model.address import is_server
from suture.model.files import Files
from suture.model.rows import DamageRow
from suture.model.scope import Progress, Scope
from suture.model.unit import FILE, Unit
from suture.stores import DiskFiles, Sink

if TYPE_CHECKING:
    import pyarrow as pa

Tables = list[tuple[str, "pa.Table"]]
# What a unit reads through in place of the files as they are, to learn what it was judged with.
View = Callable[[Unit, Files], Files]

SHARE_FROM = 24 << 20  # bytes below which a second process costs more than it saves
_TASK = 8 << 20  # bytes, about: each task sends back tables of its own
FORKS = sys.platform == "linux"  # elsewhere no process inherits what was opened before it
_TOGETHER = 64  # sessions of one database that are read at once


def tables(
    units: Sequence[Unit],
    files: Files,
    scope: Scope,
    full: bool,
    view: View | None = None,
    take: Callable[[Tables], None] | None = None,
) -> Iterator[Tables]:
    """All rows of all units. Start this before DuckDB: its threads do not survive a fork. A unit
    that is read in this process hands over what is ready to `take`: it may be as large as all."""
    sizes = {unit.index: size_of(unit) for unit in units}
    told = _Told(scope.progress, sum(sizes.values()), len(units))
    apart = _apart(units, sizes, scope) if _may_share(files, view) else []
    if apart:
        alone = replace(scope, progress=None)
        tasks = [(batch, alone, full) for batch in batches(apart, sizes, _TASK)]
        method = "fork" if FORKS else "spawn"
        with multiprocessing.get_context(method).Pool(min(jobs_of(scope), len(tasks))) as pool:
            for indexes, batch in pool.imap_unordered(_read_batch, tasks):
                told.read([sizes[index] for index in indexes])
                yield batch
    shared = {unit.index for unit in apart}
    sink = Sink(full, take)
    rest = [unit for unit in units if unit.index not in shared]
    for some in [[unit] for unit in rest] if view else together(rest):
        read_some(some, view(some[0], files) if view else files, scope, sink)
        told.read([sizes[unit.index] for unit in some])
        yield sink.ready()
    yield sink.tables()


class _Told:
    """Adds up what was read, for whoever wants to know."""

    def __init__(self, progress: Progress | None, total: int, units: int) -> None:
        self._progress = progress
        self._total, self._units = total, units
        self._size = self._done = 0

    def read(self, sizes: Sequence[int]) -> None:
        self._size += sum(sizes)
        self._done += len(sizes)
        if self._progress is not None:
            self._progress(self._size, self._total, self._done, self._units)


def jobs_of(scope: Scope) -> int:
    return scope.jobs or os.cpu_count() or 1


def _apart(units: Sequence[Unit], sizes: Mapping[int, int], scope: Scope) -> list[Unit]:
    """Units that other processes read: sessions of one database share its private copy."""
    alone = [unit for unit in units if unit.session is None and unit.store != FILE]
    files = [unit for unit in alone if not is_server(unit.paths[0])]
    enough = sum(sizes[unit.index] for unit in files) >= SHARE_FROM
    return files if enough and len(files) > 1 and jobs_of(scope) > 1 else []


def _may_share(files: Files, view: View | None) -> bool:
    """An overlay or a cache lives in this process alone."""
    return type(files) is DiskFiles and view is None


def size_of(unit: Unit) -> int:
    return sum(map(_size, unit.paths))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def batches(units: Sequence[Unit], sizes: Mapping[int, int], size: int) -> list[list[Unit]]:
    """Each of about that many bytes; largest first, so that no process is left alone with the
    largest at the end."""
    batches: list[list[Unit]] = []
    room = 0
    for unit in sorted(units, key=lambda u: -sizes[u.index]):
        if room <= 0:
            batches.append([])
            room = size
        batches[-1].append(unit)
        room -= sizes[unit.index]
    return batches


def together(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """One by one, but for sessions of a database whose store reads many at once."""
    for (store, path, _), group in groupby(units, _database):
        same = list(group)
        many = path is not None and stores.store_named(store).read_together is not None
        step = _TOGETHER if many else 1
        for start in range(0, len(same), step):
            yield same[start : start + step]


def _database(unit: Unit) -> tuple[str, str | None, str | None]:
    return unit.store, unit.paths[0] if unit.session is not None else None, unit.mapping


def units_of(unit: Unit, files: Files) -> Sequence[Unit]:
    """All units of the database that a unit belongs to, as they are found in `files`."""
    store = stores.by_mapping(unit.mapping) if unit.mapping else stores.store_named(unit.store)
    return store.units(files, unit.paths)


def _read_batch(task: tuple[list[Unit], Scope, bool]) -> tuple[list[int], Tables]:
    units, scope, full = task
    files, sink = DiskFiles(), Sink(full)
    try:
        for unit in units:
            read(unit, files, scope, sink)
        return [unit.index for unit in units], sink.tables()
    finally:
        files.close()


def read_some(units: Sequence[Unit], files: Files, scope: Scope, sink: Sink) -> None:
    many = stores.store_named(units[0].store).read_together if len(units) > 1 else None
    if many is not None and scope.since is None:
        many(units, files, sink, live_evidence(units[0], scope))
        return
    for unit in units:
        read(unit, files, scope, sink)


def read(unit: Unit, files: Files, scope: Scope, sink: Sink) -> None:
    if scope.since is None or unit.session is None:
        _read(unit, files, scope, sink)
        return
    own = Sink(sink.full)  # a session of a database: how old it is its rows say
    _read(unit, files, scope, own)
    found = own.tables()
    newest = _newest(found)
    if newest is None or newest >= scope.since:
        sink.take(found)


def _newest(found: Tables) -> int | None:
    from pyarrow.compute import call_function  # noqa: PLC0415 (costs a quarter of the start)

    columns = {"record": "time", "session": "created"}
    times = [table[columns[name]].drop_null() for name, table in found if name in columns]
    return max((call_function("max", [some]).as_py() for some in times if len(some)), default=None)


def _read(unit: Unit, files: Files, scope: Scope, sink: Sink) -> None:
    store = stores.store_named(unit.store)
    sink.start(unit.index, live_evidence(unit, scope))
    try:
        store.read(unit, files, sink)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        row = DamageRow(unit.index, unit.paths[0], "unreadable", None, None, None, reason)
        sink.add("damage", row)


def live_evidence(unit: Unit, scope: Scope) -> str | None:
    """Positive evidence of a writer; `--assume` decides in its place for a check."""
    if scope.assume == "dead":
        return None
    if scope.assume == "live":
        return "taken as live (--assume live)"
    writers = stores.store_named(unit.store).writers(unit)
    return writers[0].evidence if writers else None
