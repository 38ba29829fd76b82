"""What the processes take from one another's hands when a large store is judged in ranges."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import groupby
from multiprocessing.sharedctypes import SynchronizedArray
from typing import NamedTuple

import pyarrow as pa

from suture.model.scope import Progress, Scope
from suture.model.unit import Unit
from suture.reading import FORKS, Tables, jobs_of, units_of
from suture.stores import DiskFiles

_SLICE = 1 << 6  # sessions of a database that a process takes at once


class Task(NamedTuple):
    """What a process takes at once. Of the units of a shared database those of its share, which it
    copies itself."""

    units: Sequence[Unit]
    share: int = 0
    of: int = 0


class Done:
    """How far all processes are: tasks taken, work and units done."""

    def __init__(self, sizes: Mapping[int, int], counts: "SynchronizedArray[int]") -> None:
        self._sizes, self._counts = sizes, counts

    def next_task(self) -> int:
        with self._counts.get_lock():
            self._counts[0] += 1
            return self._counts[0] - 1

    def read(self, units: Sequence[Unit]) -> None:
        with self._counts.get_lock():
            self._counts[1] += sum(self._sizes[unit.index] for unit in units)
            self._counts[2] += len(units)

    @property
    def units(self) -> int:
        return self._counts[2]

    def tell(self, progress: Progress | None) -> None:
        if progress is not None:
            total = sum(self._sizes.values())
            progress(
                self._counts[1] or self.units,
                total or len(self._sizes),
                self.units,
                len(self._sizes),
            )


def shares(scope: Scope) -> int:
    """In how many parts `report_on` takes a database that can be shared."""
    return jobs_of(scope) if FORKS and scope.since is None and scope.where is None else 1


def slices(units: Sequence[Unit], files: DiskFiles, jobs: int) -> Iterator[Task]:
    for path, group in groupby(units, key=lambda unit: unit.paths[0]):
        same = list(group)
        if files.shared(path) is not None:
            yield from (Task(same, share, jobs) for share in range(jobs))
        else:
            yield from (Task(same[at : at + _SLICE]) for at in range(0, len(same), _SLICE))


@contextmanager
def opened(task: Task, files: DiskFiles) -> Iterator[tuple[Sequence[Unit], DiskFiles]]:
    """The units of a task, and what they are read through."""
    first = task.units[0]
    database = files.shared(first.paths[0]) if task.of else None
    if database is None:
        yield task.units, files
        return
    own = DiskFiles()
    try:
        own.add_copy(first.paths[0], partial(database.share, task.share, task.of))
        names = {unit.session for unit in units_of(first, own)}
        yield [unit for unit in task.units if unit.session in names], own
    finally:
        own.close()


@contextmanager
def handovers(count: int) -> Iterator[list[int]]:
    """Files in memory alone, to be inherited by processes that fork."""
    with ExitStack() as stack:
        files = []
        for _ in range(count):
            files.append(os.memfd_create("suture"))
            stack.callback(os.close, files[-1])
        yield files


def hand_over(tables: Tables, file: int) -> None:
    """One stream of batches after another: a pipe would copy them twice more."""
    with pa.OSFile(_path(file), "wb") as sink:
        for name, rows in tables:
            schema = rows.schema.with_metadata({"table": name})
            with pa.ipc.new_stream(sink, schema) as stream:
                stream.write_table(rows)


def handed_over(file: int) -> Tables:
    tables: Tables = []
    if not os.fstat(file).st_size:
        return tables
    source = pa.memory_map(_path(file))
    while source.tell() < source.size():
        rows = pa.ipc.open_stream(source).read_all()
        tables.append((rows.schema.metadata[b"table"].decode(), rows))
    return tables


def _path(file: int) -> str:
    return f"/proc/self/fd/{file}"
