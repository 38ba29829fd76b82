"""Large stores, judged some units at a time and in several processes.

Few rules look from one unit to another, and those need sessions and their headers alone. So what is
held is one range of units for each process, however many there are.
"""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from suture.db import Database
from suture.merging import Made, merged
from suture.model.address import is_server
from suture.model.finding import Finding, Severity
from suture.model.report import Report
from suture.model.scope import Progress, Scope
from suture.model.selection import Selection
from suture.model.unit import Unit
from suture.reading import (
    FORKS,
    SHARE_FROM,
    Tables,
    batches,
    jobs_of,
    read,
    read_some,
    size_of,
    together,
)
from suture.reporting import levels, report, reported, session_states, verdict
from suture.run import Judged, complete, judge
from suture.stores import DiskFiles, Sink, Unreadable
from suture.tasks import Done, Task, opened, slices
from suture.validators import Look

if TYPE_CHECKING:
    import pyarrow as pa

K = TypeVar("K")

_FROM = 16 << 20  # bytes of a database below which a range of its own costs more than it saves
_ROWS = 250_000  # of all tables: what a range holds at least, unless it is the last
_TELL = 0.2  # seconds between two signs of progress

# What rules see that look across units: sessions, and the first header of each.
_ACROSS = {
    "session": "select * from session",
    "record": "select r.* from record r join (select session, min(n) as n from record "
    "where kind = 'header' group by session) using (session, n)",
}


class _Given(NamedTuple):
    files: DiskFiles
    scope: Scope
    selection: Selection


def report_on(
    units: Sequence[Unit],
    files: DiskFiles,
    unreadable: Sequence[Unreadable],
    scope: Scope,
    notices: Sequence[str],
    selection: Selection,
) -> Report:
    """Judge all units; what they hold is dropped as soon as it is judged."""
    large = _large(units, files)
    if not large:
        return report(judge(units, files, scope, unreadable=unreadable), notices, selection)
    known = {unit.index for unit in large}
    rest = [unit for unit in units if unit.index not in known]
    paths = {unit.paths[0] for unit in large if unit.session is not None}
    for unit in rest:
        if unit.paths[0] in paths:  # what is found out of the file as a whole is kept by its reader
            read(unit, files.by_name(), scope, Sink())
    given = _Given(files, scope, selection)
    made = list(_ranges(large, given))
    if rest or unreadable:
        made.append(_rest(rest, unreadable, given))
    across, between = _across([one.across for one in made], units, given)
    sizes = {path: database.size for path, database in files.shared_databases()}
    return merged(made, across, between, units, notices, sizes)


def _rest(units: Sequence[Unit], unreadable: Sequence[Unreadable], given: _Given) -> Made:
    scope = replace(given.scope, progress=None)  # of the large ones it was told
    judged = judge(units, given.files.by_name(), scope, unreadable=unreadable)
    return _made(replace(judged, look=Look.INSIDE), given.selection)


def _large(units: Sequence[Unit], files: DiskFiles) -> list[Unit]:
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
    if len(plain) > 1 and sum(map(size_of, plain)) >= SHARE_FROM:
        large += plain
    return large


def _size(path: str, files: DiskFiles) -> int:
    place = files.sqlite_copy(path) if is_server(path) else Path(path)
    return place.stat().st_size


def _ranges(units: Sequence[Unit], given: _Given) -> Iterator[Made]:
    sizes = {unit.index: size_of(unit) if unit.session is None else 0 for unit in units}
    jobs = jobs_of(given.scope)
    files = batches([unit for unit in units if unit.session is None], sizes)
    sessions = [unit for unit in units if unit.session is not None]
    tasks = [*map(Task, files), *slices(sessions, given.files, jobs)]
    jobs = min(jobs, len(tasks))
    context = multiprocessing.get_context("fork" if FORKS else None)
    shared = _Shared(given, tasks, Done(sizes, context.Array("q", 3)))
    if jobs == 1 or not FORKS:
        yield from _of_ranges(shared, given.scope.progress)
        return
    with ProcessPoolExecutor(jobs, context, _start, (shared,)) as pool:
        working: set[Future[list[Made]]] = {pool.submit(_work) for _ in range(jobs)}
        while working:
            ended, working = wait(working, _TELL, FIRST_COMPLETED)
            shared.done.tell(given.scope.progress)
            for one in ended:
                yield from one.result()
    if shared.done.units < len(units):
        raise RuntimeError(f"{len(units) - shared.done.units} sessions were in no share")


class _Shared(NamedTuple):
    """What a process inherits."""

    given: _Given
    tasks: Sequence[Task]
    done: Done

    def next_tasks(self) -> Iterator[Task]:
        while (at := self.done.next_task()) < len(self.tasks):
            yield self.tasks[at]


_mine: _Shared


def _start(shared: _Shared) -> None:
    global _mine  # noqa: PLW0603 (see _Shared)
    _mine = shared


def _work() -> list[Made]:
    """Whoever is free takes the next task: a range for each process, or as many as must be."""
    return list(_of_ranges(_mine))


def _of_ranges(shared: _Shared, progress: Progress | None = None) -> Iterator[Made]:
    given = shared.given
    some = _Range()
    for task in shared.next_tasks():
        with opened(task, given.files) as (units, files):
            for same in together(units):
                read_some(same, files, given.scope, some.sink)
                shared.done.read(same)
                shared.done.tell(progress)
                some.units += same
                if some.rows >= _ROWS:
                    yield some.judged(given)
                    some = _Range()
    if some.units:
        yield some.judged(given)


class _Range:
    """Units that are judged together."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.rows = 0
        self.sink = Sink(take=self._take)
        self._db = Database()

    def _take(self, tables: Tables) -> None:
        self.rows += sum(table.num_rows for _, table in tables)
        self._db.load(tables)

    def judged(self, given: _Given) -> Made:
        try:
            self.sink.tables()
            complete(self._db, given.scope)
            judged = Judged(self._db, tuple(self.units), given.scope, look=Look.INSIDE)
            return _made(judged, given.selection)
        finally:
            self._db.close()


def _made(judged: Judged, selection: Selection) -> Made:
    across = {table: judged.db.arrow(query) for table, query in _ACROSS.items()}
    states = session_states(judged)
    made = report(judged, (), selection, states)
    return Made(made, list(states), _bad(judged.by_session), _bad(judged.around), across)


def _bad(groups: Mapping[K, Sequence[Finding]]) -> dict[K, list[Finding]]:
    """Notes decide nothing."""
    kept = {key: [f for f in found if f.severity > Severity.INFO] for key, found in groups.items()}
    return {key: found for key, found in kept.items() if found}


def _across(
    kept: Sequence[Mapping[str, "pa.Table"]], units: Sequence[Unit], given: _Given
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
    return made, _bad(judged.by_session)
