"""Plan → store and back: gives the applier the eyes of the rules and the stores."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from suture import mapping, stores
from suture.model.edit import RowEdit
from suture.model.files import Files, Writer
from suture.model.plan import Plan, UnitPlan
from suture.model.scope import Scope
from suture.model.unit import Unit
from suture.repair import applier, journal, plan_json
from suture.repair import undo as undoing
from suture.repair.applier import Applied, Outcome
from suture.repair.journal_root import root
from suture.repair.settle import Checks
from suture.run import as_known, judge
from suture.stores import DiskFiles
from suture.stores.sqlite.examine import examine
from suture.validators import all_rules


def apply_plan(
    path: Path,
    journal_folder: Path | None,
    all_or_none: bool = False,
    force_live: bool = False,
    force_network: bool = False,
) -> Applied:
    """Carry out the plan in a file. Raises BadPlan when it is none."""
    data = path.read_bytes()
    checks = replace(_CHECKS, force_live=force_live, force_network=force_network)
    return applier.apply(
        plan_json.load(data),
        data,
        journal=journal_folder,
        all_or_none=all_or_none,
        checks=checks,
    )


def resume(entry: str, journal_folder: Path | None) -> Applied:
    return applier.resume(entry, journal=journal_folder, checks=_CHECKS)


def undo(entry: str | None, journal_folder: Path | None) -> tuple[str, tuple[Outcome, ...]]:
    """Take back one apply, the newest if none is named; returns its id and what became of it."""
    chosen = entry or journal.last(root(journal_folder))
    return chosen, undoing.undo(chosen, journal=journal_folder, writers=_writers)


def read_plan(path: Path) -> Plan:
    return plan_json.load(path.read_bytes())


def _writers(unit: UnitPlan) -> list[Writer]:
    """Of the session that is written to: the new one, once it is there. Databases that follow the
    files of a unit are written as well."""
    fresh = unit.fork is not None and Path(unit.fork.paths[0]).exists()
    paths = unit.fork.paths if unit.fork and fresh else unit.paths
    paths = (*paths, *(path for path in _databases(unit) if path not in paths))
    return stores.store_named(unit.store).writers(Unit(0, unit.store, paths, session=unit.session))


def _databases(unit: UnitPlan) -> Sequence[str]:
    edits = (edit for step in unit.steps for edit in step.edits)
    return list(dict.fromkeys(edit.path for edit in edits if isinstance(edit, RowEdit)))


def _server_tables(
    unit: UnitPlan, columns: Mapping[str, frozenset[str]]
) -> Mapping[str, tuple[str, ...]]:
    if unit.mapping is None:
        return stores.store_named(unit.store).server(columns)
    mapping.check(unit.mapping, "the plan's mapping")
    return stores.by_mapping(unit.mapping, "the plan's mapping").server(columns)


def _recheck(unit: UnitPlan) -> Sequence[str]:
    files = DiskFiles()
    try:
        return _fingerprints(unit, files)
    finally:
        files.close()


def _recheck_rows(unit: UnitPlan, connection: sqlite3.Connection) -> Sequence[str]:
    (path,) = _databases(unit)
    files = _Uncommitted(path, connection)
    try:
        return _fingerprints(unit, files)
    finally:
        files.close()


def _rebuild(copy: str) -> str | None:
    """The new file for a damaged database; the copy lies in a folder of its own."""
    return examine(Path(copy), None).file


class _Uncommitted(DiskFiles):
    """The disk, but a database as an open transaction sees it."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._path = path
        self._connection = connection

    def sqlite_copy(self, path: str) -> Path:
        if path != self._path:
            return super().sqlite_copy(path)
        copy = Path(self._folder.name, "uncommitted.db")
        if not copy.exists():
            with closing(sqlite3.connect(copy)) as target:
                self._connection.backup(target)
        return copy


def _fingerprints(unit: UnitPlan, files: Files) -> Sequence[str]:
    """What a check of the unit finds now, under the names that its files have now."""
    renamed = {source.path: source.after_path for source in unit.sources}
    paths = [renamed.get(p, p) for p in (unit.fork.paths if unit.fork else unit.paths)]
    present = [path for path in dict.fromkeys(paths) if files.exists(path)]
    if unit.mapping is None:
        found = stores.store_named(unit.store).units(files, present)
    else:
        mapping.check(unit.mapping, "the plan's mapping")
        found = stores.by_mapping(unit.mapping, "the plan's mapping").units(files, present)
    mine = [u for u in found if u.session == unit.session]
    units = [as_known(replace(u, index=index), files) for index, u in enumerate(mine)]
    # A writer was looked for just before; our own hold on a database must not count as one.
    scope = Scope(tuple(present), unit.store, assume="dead")
    told = judge(units, files, scope).all
    # since the plan was made time went by, and nothing that the repair did
    late = {rule.name for rule in all_rules() if rule.by_clock}
    return sorted(
        finding.fingerprint
        for finding in told
        if finding.rule not in late or finding.fingerprint in unit.remaining
    )


_CHECKS = Checks(_writers, _recheck, _recheck_rows, tables=_server_tables, rebuild=_rebuild)
