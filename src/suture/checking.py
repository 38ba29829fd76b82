"""A check as CI runs it: unchanged units are left out, findings of a baseline fail nothing."""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from suture import baseline as baselines
from suture import cache as caches
from suture import ranges, tasks
from suture.cache import Cache, Views
from suture.config import Settings
from suture.model.baseline import KnownFinding
from suture.model.errors import NothingThere
from suture.model.finding import Severity
from suture.model.report import Report, Unchanged
from suture.model.scope import Scope
from suture.model.selection import Selection
from suture.model.unit import Unit
from suture.narrowing import all_there
from suture.reporting import report
from suture.run import Judged, chosen, judge, looking, mapping_text
from suture.stores import DiskFiles, Unreadable

_EMPTY = {"files": 0, "bytes": 0, "sessions": 0, "records": 0, "error": 0, "warn": 0, "info": 0}


def check(scope: Scope, settings: Settings, notices: Sequence[str]) -> Report:
    """Judge everything below the scope's paths. Raises NothingToRead when there is nothing."""
    known: tuple[KnownFinding, ...] = ()
    if settings.baseline and not settings.write_baseline:
        known = baselines.read(settings.baseline)
    shares = tasks.shares(scope) if settings.cache is None else 1
    try:
        made = None
        if shares > 1:
            made = _looked(scope, settings, notices, shares, ahead=True)
        if made is None:
            made = _looked(scope, settings, notices, shares, ahead=False)
        assert made is not None
        names = [*(one.id for one in made.sessions), *(one.id for one in made.unchanged)]
        all_there(scope, names, (item.finding for item in made.findings))
    except NothingThere:
        if not settings.allow_empty:
            raise
        made = Report("clean", (), (), (), tuple(notices), _EMPTY, settings.selection.fail_on)
    if settings.write_baseline:
        known = _write(settings.write_baseline, made)
    if settings.baseline or settings.write_baseline:
        made = _against(made, known, settings.selection)
    return made


def _looked(
    scope: Scope, settings: Settings, notices: Sequence[str], shares: int, ahead: bool
) -> Report | None:
    """None where it was read ahead of a look at the pages, and they are not sound."""
    with looking(scope, shares, ahead) as (found, files):
        skipped = [f"{s.path}: {s.reason}, skipped" for s in found.skipped]
        units = chosen(found.units, scope)
        try:
            made = _judged(units, files, found.unreadable, scope, settings, (*skipped, *notices))
        except Exception:
            if files.as_assumed():
                raise
            return None
        return made if files.as_assumed() else None


def _judged(
    units: Sequence[Unit],
    files: DiskFiles,
    unreadable: Sequence[Unreadable],
    scope: Scope,
    settings: Settings,
    notices: Sequence[str],
) -> Report:
    if settings.cache is None:
        return ranges.report_on(units, files, unreadable, scope, notices, settings.selection)
    cache = caches.opened(settings.cache, _configuration(scope, settings.selection))
    same = {u.id: found for u in units if (found := cache.unchanged(u, files)) is not None}
    fresh = [unit for unit in units if unit.id not in same]
    numbered = [replace(unit, index=index) for index, unit in enumerate(fresh)]
    views = Views()
    judged = judge(numbered, files, scope, unreadable=unreadable, view=views)
    made = report(judged, notices, settings.selection)
    _remember(cache, numbered, judged, made, views)
    try:
        cache.save()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        made = replace(made, notices=(*made.notices, f"cache {cache.folder}: {reason}"))
    return replace(
        made,
        unchanged=tuple(session for found in same.values() for session in found),
        summary={**made.summary, "unchanged": len(same)},
    )


def _configuration(scope: Scope, selection: Selection) -> object:
    text = mapping_text(scope.map_file) if scope.map_file is not None else None
    return replace(scope, paths=(), jobs=None, progress=None), selection, text


def _remember(
    cache: Cache, units: Sequence[Unit], judged: Judged, made: Report, views: Views
) -> None:
    """Keep what is clean whatever the hour: not what waits for a call or has a living writer."""
    bad = {f.unit for f in judged.all if f.severity > Severity.INFO}
    bad |= {item.finding.unit for item in made.findings if item.speaks or made.fails(item)}
    pending = judged.db.rows(
        "select distinct s.unit from session s left join pairing p using (session) "
        "where s.live is not null or p.state = 'open'"
    )
    open_units = {row.unit for row in pending}
    for unit in units:
        if unit.id in bad or unit.index in open_units:
            cache.drop(unit)
            continue
        rows = judged.db.rows(
            "select id, path, store from session where unit = ? order by session", unit.index
        )
        cache.keep(unit, views.of[unit.id], [Unchanged(r.id, r.path, r.store) for r in rows])


def _write(path: Path, made: Report) -> tuple[KnownFinding, ...]:
    told = [
        item.finding
        for item in made.findings
        if item.finding.severity > Severity.INFO or made.fails(item)
    ]
    baselines.write(path, told)
    return baselines.read(path)


def _against(made: Report, known: Collection[KnownFinding], selection: Selection) -> Report:
    items, left = baselines.mark(made.findings, known)
    sessions = {state.id for state in made.sessions} | {s.id for s in made.unchanged}
    paths = {source.path for source in made.sources}

    def looked_at(entry: KnownFinding) -> bool:
        seen = entry.path in paths if entry.session is None else entry.session in sessions
        return seen and selection.keeps(entry.rule, entry.code)

    stale = baselines.stale(known, left, looked_at)
    beyond = sum(1 for entry in known if left[entry.fingerprint] > 0) - len(stale)
    notices = made.notices
    if beyond:
        entries = "1 entry" if beyond == 1 else f"{beyond} entries"
        notices = (*notices, f"{entries} of the baseline: not looked at in this check")
    counts = {"known": sum(item.known for item in items), "stale": len(stale)}
    return replace(
        made,
        findings=items,
        stale=stale,
        notices=notices,
        summary={**made.summary, **counts},
    )
