"""Large stores, judged some units at a time and in several processes.

Few rules look from one unit to another, and those need sessions and their headers alone. So what is
held is one range of units for each process, however many there are.
"""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from suture.db import Database
from suture.merging import Made, merged
from suture.model.address import is_server
from suture.model.finding import Finding
from suture.model.report import Report
from suture.model.scope import Progress, Scope
from suture.model.selection import Selection
from suture.model.unit import Unit
from suture.reading import (
    FORKS,
    SHARE_FROM,
    batches,
    jobs_of,
    read_some,
    size_of,
    together,
)
from suture.reporting import levels, report, reported, verdict
from suture.run import Judged, judge, stray_rows, strays
from suture.stores import DiskFiles, Unreadable
from suture.tasks import Done, Task, hand_over, handed_over, handovers, opened, slices
from suture.unit_range import Given, Range, bad
from suture.validators import Look

if TYPE_CHECKING:
    import pyarrow as pa

_FROM = 16 << 20  # bytes of a database below which a range of its own costs more than it saves
_ROWS = 250_000  # of all tables: what a range holds at least, unless it is the last
_LEFT = 2 * _ROWS  # of all processes: up to here it is cheaper to judge together than at once
_TASK = 1 << 20  # bytes, about: at the end one process may wait that long for another
_FEW = 20  # files, more than there are stores: all of them are left to the processes
_TELL = 0.2  # seconds between two signs of progress


def report_on(
    units: Sequence[Unit],
    files: DiskFiles,
    unreadable: Sequence[Unreadable],
    scope: Scope,
    notices: Sequence[str],
    selection: Selection,
) -> Report:
    """Judge all units; what they hold is dropped as soon as it is judged."""
    sizes = {unit.index: size_of(unit) for unit in units if unit.session is None}
    large = _large(units, files, sizes)
    if not large:
        return report(judge(units, files, scope, unreadable=unreadable), notices, selection)
    given, last = Given(files, scope, selection), Range()
    known = {unit.index for unit in large}
    rest = [unit for unit in units if unit.index not in known]
    paths = {unit.paths[0] for unit in large if unit.session is not None}
    # what is found out of a file as a whole is kept by its reader: the processes inherit it
    last.read([unit for unit in rest if unit.paths[0] in paths], given)
    made = list(_ranges(large, sizes, given, last))
    last.read([unit for unit in rest if unit.paths[0] not in paths], given)
    last.units += strays(unreadable, units)
    last.sink.take(stray_rows(unreadable, units))
    if not made:
        with last.judged(given, Look.ALL) as judged:
            return report(judged, notices, selection)
    if last.units:
        made.append(last.made(given))
    across, between = _across([one.across for one in made], units, given)
    shared = {path: database.size for path, database in files.shared_databases()}
    return merged(made, across, between, units, notices, shared)


def _large(units: Sequence[Unit], files: DiskFiles, sizes: Mapping[int, int]) -> list[Unit]:
    """Files, if there is much to read, and the sessions of databases that are worth it."""
    databases: dict[str, list[Unit]] = {}
    for unit in units:
        if unit.session is not None:
            databases.setdefault(unit.paths[0], []).append(unit)
    large = [
        unit
        for path, sessions in databases.items()
        if len(sessions) > 1 and (files.shared(path) or _size(path, files) >= _FROM)
        for unit in sessions
    ]
    alone = [unit for unit in units if unit.session is None and not is_server(unit.paths[0])]
    plain = [unit for unit in alone if unit.paths[0] not in databases]
    if len(plain) > 1 and sum(sizes[unit.index] for unit in plain) >= SHARE_FROM:
        large += plain
    return large


def _size(path: str, files: DiskFiles) -> int:
    place = files.sqlite_copy(path) if is_server(path) else Path(path)
    return place.stat().st_size


def _ranges(
    units: Sequence[Unit], known: Mapping[int, int], given: Given, last: Range
) -> Iterator[Made]:
    """All full ranges. What is left of the units goes into `last`."""
    sizes = {unit.index: known.get(unit.index, 0) for unit in units}
    jobs = jobs_of(given.scope)
    alone = [unit for unit in units if unit.session is None]
    early = _smallest(alone, sizes) if jobs > 1 and FORKS and len(alone) > _FEW else []
    files = batches([unit for unit in alone if unit not in early], sizes, _TASK)
    sessions = [unit for unit in units if unit.session is not None]
    tasks = [*map(Task, files), *slices(sessions, given.files, jobs)]
    jobs = min(jobs, len(tasks))
    context = multiprocessing.get_context("fork" if FORKS else None)
    shared = _Shared(given, tasks, Done(sizes, context.Array("q", 3)), jobs)
    last.read(early, given)  # the processes inherit what is imported and compiled for it
    shared.done.read(early)
    if jobs == 1 or not FORKS:
        yield from _of_ranges(shared, last, given.scope.progress)
        return
    with (
        handovers(jobs - 1) as files_left,
        ProcessPoolExecutor(jobs - 1, context, _start, (shared,)) as pool,
    ):
        working = {pool.submit(_work, file) for file in files_left}
        last.prepare()
        # this process reads as well: a further one would copy what it inherits, page by page
        yield from _of_ranges(shared, last, given.scope.progress)
        last.gather()
        while working:
            ended, working = wait(working, _TELL, FIRST_COMPLETED)
            shared.done.tell(given.scope.progress)
            for one in ended:
                full, left = one.result()
                yield from full
                last.take(left.units, handed_over(left.file))
    if shared.done.units < len(units):
        raise RuntimeError(f"{len(units) - shared.done.units} sessions were in no share")


def _smallest(units: Sequence[Unit], sizes: Mapping[int, int]) -> list[Unit]:
    """One of each store."""
    return list({u.store: u for u in sorted(units, key=lambda u: -sizes[u.index])}.values())


class _Shared(NamedTuple):
    """What a process inherits."""

    given: Given
    tasks: Sequence[Task]
    done: Done
    jobs: int

    def next_tasks(self) -> Iterator[Task]:
        while (at := self.done.next_task()) < len(self.tasks):
            yield self.tasks[at]


_mine: _Shared


def _start(shared: _Shared) -> None:
    global _mine  # noqa: PLW0603 (see _Shared)
    _mine = shared


class _Left(NamedTuple):
    """Units that are judged by another process than the one that read them."""

    units: list[Unit]
    file: int


def _work(file: int) -> tuple[list[Made], _Left]:
    """Whoever is free takes the next task: full ranges are judged here, and so is a large rest."""
    some = Range()
    made = list(_of_ranges(_mine, some))
    tables = some.waiting(_LEFT // _mine.jobs)
    if tables is None:
        return [*made, some.made(_mine.given)], _Left([], file)
    hand_over(tables, file)
    return made, _Left(some.units, file)


def _of_ranges(shared: _Shared, some: Range, progress: Progress | None = None) -> Iterator[Made]:
    given = shared.given
    for task in shared.next_tasks():
        with opened(task, given.files) as (units, files):
            for same in together(units):
                read_some(same, files, given.scope, some.sink)
                shared.done.read(same)
                shared.done.tell(progress)
                some.units += same
                if some.rows >= _ROWS:
                    yield some.made(given)


def _across(
    kept: Sequence[Mapping[str, "pa.Table"]], units: Sequence[Unit], given: Given
) -> tuple[Report, dict[int, list[Finding]]]:
    """What only several units together show."""
    db = Database()
    try:
        db.load((name, table) for one in kept for name, table in one.items())
        db.flush()
        judged = Judged(db, tuple(units), given.scope, look=Look.ACROSS)
        found = reported(judged, given.selection)
    finally:
        db.close()
    told = [item.finding for item in found]
    counts = levels(told) | {"left_out": len(judged.all) - len(told)}
    made = Report(verdict(told), (), (), found, (), counts, given.selection.fail_on)
    return made, bad(judged.by_session)
