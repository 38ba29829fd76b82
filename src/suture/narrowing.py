"""Which of the sessions that were found are meant: `--session`, `--since` and `--where`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from suture.db import Database
from suture.model.address import is_server
from suture.model.errors import NothingThere
from suture.model.files import Files
from suture.model.finding import Finding, Severity
from suture.model.scope import Scope
from suture.model.unit import FILE, Unit
from suture.stores import Discovery, sessions_where, store_named

_SIDES = ("", "-wal")


def narrowed(found: Discovery, files: Files, scope: Scope) -> Discovery:
    """Raises BadQuery for a condition that means nothing, NothingThere if it holds for nothing."""
    units: Sequence[Unit] = found.units
    if scope.since is not None:
        units = _since(units, scope.since)
    if scope.where is not None:
        units = _where(units, files, scope.where)
        if not units:
            raise NothingThere("--where holds for no session")
    numbered = tuple(replace(unit, index=index) for index, unit in enumerate(units))
    return replace(found, units=numbered)


def all_there(scope: Scope, known: Iterable[str], found: Iterable[Finding] = ()) -> None:
    """Raises NothingThere for a session that was asked for and that nothing is known of: a
    misspelt one must not pass for a clean one. Where a file is damaged as a whole it may lie in
    what cannot be read."""
    missing = set(scope.sessions).difference(known)
    told = {finding.session for finding in found if finding.severity > Severity.INFO}
    if missing and None not in told and (missing := missing.difference(told)):
        raise NothingThere(f"no session {min(missing)} there; `suture inspect` lists them")


def names(db: Database) -> list[str]:
    """Of the sessions in the tables."""
    return [row.id for row in db.rows("select id from session")]


def keep_named(db: Database, scope: Scope) -> None:
    """Leave in the tables the sessions that are named, if any are. Raises NothingThere."""
    if scope.sessions:
        from suture.db.only import keep_only  # noqa: PLC0415  # where sessions are named alone

        all_there(scope, names(db))
        keep_only(db, scope.sessions)


def _since(units: Sequence[Unit], since: int) -> list[Unit]:
    """By the time of files, which nothing in them is newer than. Indexes that lie elsewhere are
    written for other sessions too; of those in a database their rows say more, once they are read.
    """
    uses = Counter(path for unit in units for path in unit.paths)
    newest: dict[str, int | None] = {}

    def changed(path: str) -> int | None:
        if path not in newest:
            times = (_time(path + side) for side in _SIDES)
            newest[path] = max((time for time in times if time is not None), default=None)
        return newest[path]

    kept = []
    for unit in units:
        main = unit.paths[0]
        beside = [
            p for p in unit.paths if uses[p] == 1 and Path(p).is_relative_to(Path(main).parent)
        ]
        own = [main, *beside]
        times = [time for path in own if (time := changed(path)) is not None]
        if not times or max(times) >= since:
            kept.append(unit)
    return kept


def _time(path: str) -> int | None:
    if is_server(path):
        return None
    try:
        return Path(path).stat().st_mtime_ns // 1000
    except OSError:
        return None


def _where(units: Sequence[Unit], files: Files, where: str) -> list[Unit]:
    """On a server it was asked before the rows were copied."""
    known: dict[str, Collection[str]] = {}
    kept = []
    for unit in (unit for unit in units if unit.store != FILE):
        path = unit.paths[0]
        if not is_server(path) and path not in known:
            known[path] = sessions_where(store_named(unit.store), unit, files, where)
        if unit.session is not None and (is_server(path) or unit.session in known[path]):
            kept.append(unit)
    of_kept = {unit.paths[0] for unit in kept}
    return [unit for unit in units if unit.store == FILE and unit.paths[0] in of_kept] + kept
