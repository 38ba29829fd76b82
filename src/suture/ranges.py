"""Sessions of large databases, judged a range at a time and in several processes.

No rule looks from one session of a database to another, so what is held is one range of sessions
for each process, however many there are.
"""

import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from suture.db import Database
from suture.model.address import is_server
from suture.model.report import Report, SourceState
from suture.model.scope import Scope
from suture.model.selection import Selection
from suture.model.unit import Unit
from suture.reading import Tables, read
from suture.reporting import report, verdict
from suture.run import Judged, complete, judge, order
from suture.stores import DiskFiles, Sink, Unreadable

_FROM = 16 << 20  # bytes of a database below which a range of its own costs more than it saves
_ROWS = 100_000  # of all tables: what a range holds at least, unless it is the last
_TASKS = 8  # for each process: the last ones to end should have little left


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
    paths = {unit.paths[0] for unit in large}
    for unit in rest:
        if unit.paths[0] in paths:  # what is found out of the file as a whole is kept by its reader
            read(unit, files, scope, Sink())
    made = list(_reports(large, _Given(files, scope, selection)))
    if rest or unreadable:
        numbered = [replace(unit, index=index) for index, unit in enumerate(rest)]
        others = judge(numbered, files, scope, unreadable=unreadable)
        made.insert(0, report(others, (), selection))
    return _merged(made, notices)


def _large(units: Sequence[Unit], files: DiskFiles) -> list[Unit]:
    """The sessions of databases that are worth it."""
    found: dict[str, list[Unit]] = {}
    for unit in units:
        if unit.session is not None:
            found.setdefault(unit.paths[0], []).append(unit)
    return [
        unit
        for path, sessions in found.items()
        if len(sessions) > 1 and _size(path, files) >= _FROM
        for unit in sessions
    ]


def _size(path: str, files: DiskFiles) -> int:
    place = files.sqlite_copy(path) if is_server(path) else Path(path)
    return place.stat().st_size


def _reports(units: Sequence[Unit], given: _Given) -> Iterator[Report]:
    jobs = given.scope.jobs or os.cpu_count() or 1
    if jobs == 1 or sys.platform != "linux":  # elsewhere no process inherits the private copies
        yield from _of_ranges(units, given)
        return
    size = -(-len(units) // (jobs * _TASKS))
    tasks = [units[at : at + size] for at in range(0, len(units), size)]
    done = 0
    with multiprocessing.get_context("fork").Pool(jobs, _start, given) as pool:
        for made in pool.imap(_work, tasks):
            yield from made
            done += 1
            if given.scope.progress is not None:
                given.scope.progress(done, len(tasks), min(done * size, len(units)), len(units))


_mine: _Given


def _start(files: DiskFiles, scope: Scope, selection: Selection) -> None:
    global _mine  # noqa: PLW0603 (what a process inherits)
    _mine = _Given(files, scope, selection)


def _work(units: Sequence[Unit]) -> list[Report]:
    return list(_of_ranges(units, _mine))


def _of_ranges(units: Sequence[Unit], given: _Given) -> Iterator[Report]:
    sink, start = Sink(), 0
    tables: Tables = []
    for at, unit in enumerate(units, 1):
        read(unit, given.files, given.scope, sink)
        tables += sink.ready()
        if sum(table.num_rows for _, table in tables) >= _ROWS:
            yield _report([*tables, *sink.tables()], units[start:at], given)
            tables, start = [], at
    if start < len(units):
        yield _report([*tables, *sink.tables()], units[start:], given)


def _report(tables: Tables, units: Sequence[Unit], given: _Given) -> Report:
    db = Database()
    db.load(tables)
    tables.clear()
    complete(db, given.scope)
    try:
        return report(Judged(db, tuple(units), given.scope), (), given.selection)
    finally:
        db.close()


def _merged(made: Sequence[Report], notices: Sequence[str]) -> Report:
    """As one look at everything would tell it."""
    findings = sorted((i for one in made for i in one.findings), key=lambda i: order(i.finding))
    sources = tuple(_sources(source for one in made for source in one.sources))
    sizes: dict[str, int] = {}
    for source in sources:
        sizes[source.path] = max(source.bytes or 0, sizes.get(source.path, 0))
    summary: Counter[str] = Counter()
    for one in made:
        summary.update(one.summary)
    counts = {**summary, "files": len(sizes), "bytes": sum(sizes.values())}
    return Report(
        verdict([item.finding for item in findings]),
        sources,
        tuple(session for one in made for session in one.sessions),
        tuple(findings),
        tuple(notices),
        _in_order(counts, made[0].summary),
        made[0].fail_on,
    )


def _in_order(counts: Mapping[str, int], like: Mapping[str, int]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in like}


def _sources(sources: Iterable[SourceState]) -> Iterator[SourceState]:
    """The sessions of one database share its file."""
    found: dict[tuple[str, str], list[SourceState]] = {}
    for source in sources:
        found.setdefault((source.path, source.store), []).append(source)
    for (path, store), same in found.items():
        yield SourceState(
            path,
            store,
            max((s.bytes for s in same if s.bytes is not None), default=None),
            sum(s.records or 0 for s in same),
            max((s.live for s in same if s.live is not None), default=None),
        )
