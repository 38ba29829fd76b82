"""One look at some stores: what was typed → units → tables → findings."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property

from msgspec import Struct
from msgspec.structs import replace

from suture import stores, validators
from suture.db import Database
from suture.model.address import is_server
from suture.model.edit import RowEdit
from suture.model.errors import NothingToRead, Unsupported
from suture.model.files import Files
from suture.model.finding import Finding
from suture.model.operation import Operation, Policy, Repair
from suture.model.rows import DamageRow, SourceRow
from suture.model.scope import Scope
from suture.model.unit import FILE, UNKNOWN, Unit
from suture.narrowing import narrowed
from suture.reading import Tables, View, tables
from suture.stores import Discovery, DiskFiles, Sink, Translated
from suture.validators import Look, Options, Rule


def options(scope: Scope) -> Options:
    return Options(now=scope.now if scope.now is not None else time.time_ns() // 1000)


class Judged(Struct, frozen=True, dict=True):
    """The tables and findings of some units. Implements repair.drafts.Judgement."""

    db: Database
    units: tuple[Unit, ...]
    scope: Scope
    policy: Policy = Policy.ANSWER
    look: Look = Look.ALL

    @cached_property
    def all(self) -> tuple[Finding, ...]:
        names = {unit.index: unit.id for unit in self.units}
        found = (
            finding
            for rule in validators.all_rules()
            for finding in rule.findings(self.db, options(self.scope), names, self.look)
        )
        wanted = self.scope.sessions
        whole = {unit.id for unit in self.units if unit.store == FILE}  # below every session

        def asked(f: Finding) -> bool:
            # a file that cannot be read still says by its name whose it is
            named = f.session is None and any(session in f.unit for session in wanted)
            return not wanted or f.session in wanted or f.unit in whole or named

        return tuple(sorted(filter(asked, found), key=order))

    @cached_property
    def by_session(self) -> Mapping[int, Sequence[Finding]]:
        """By the key of the session."""
        groups: dict[int, list[Finding]] = {}
        for finding in self.all:
            if isinstance(key := finding.facts.get("session"), int):
                groups.setdefault(key, []).append(finding)
        return groups

    @cached_property
    def around(self) -> Mapping[str, Sequence[Finding]]:
        """By path: those of no session, which may still block the sessions of their file."""
        groups: dict[str, list[Finding]] = {}
        for finding in self.all:
            if not finding.has_session and finding.place is not None:
                groups.setdefault(finding.place.path, []).append(finding)
        return groups

    @cached_property
    def _by_unit(self) -> Mapping[str, Sequence[Finding]]:
        groups: dict[str, list[Finding]] = {}
        for finding in self.all:
            groups.setdefault(finding.unit, []).append(finding)
        return groups

    def findings(self, unit: Unit) -> Sequence[Finding]:
        return self._by_unit.get(unit.id, ())

    def propose(self, finding: Finding) -> Repair | None:
        rule = _rules()[finding.rule]
        return rule.fix(finding, self.db, self.policy) if rule.fix else None

    def stage(self, finding: Finding) -> int:
        return _rules()[finding.rule].order

    def forget(self) -> None:
        self.db.forget()


@cache
def _rules() -> Mapping[str, Rule]:
    return {rule.name: rule for rule in validators.all_rules()}


def order(finding: Finding) -> tuple[object, ...]:
    place = finding.place
    return (
        finding.unit,
        place.path if place else "",
        getattr(place, "offset", 0),
        getattr(place, "table", ""),
        getattr(place, "key", ""),
        finding.code,
        finding.ids,
        finding.message,
    )


def mapping_text(path: str) -> str:
    """A mapping file that says something. Raises BadMapping."""
    from suture import mapping

    return mapping.read(path)


@contextmanager
def looking(
    scope: Scope, shares: int = 1, ahead: bool = False
) -> Iterator[tuple[Discovery, DiskFiles]]:
    """Find the units that `scope` names; private copies live until the block ends. `shares`: in
    how many parts a large database on a server may be copied; `ahead`: see DiskFiles."""
    known = stores.all_stores()
    if scope.map_file is not None:
        text = mapping_text(scope.map_file)
        known = stores.stores_with(stores.by_mapping(text, scope.map_file))
    files = DiskFiles(ahead)
    try:
        found = stores.discover(
            scope.paths, files, known, scope.as_format, scope.sessions, scope.where, shares
        )
        if scope.since is not None or scope.where is not None:
            found = narrowed(found, files, scope)
        yield found, files
    finally:
        files.close()


def judge(
    units: Sequence[Unit],
    files: Files,
    scope: Scope,
    policy: Policy = Policy.ANSWER,
    unreadable: Sequence[stores.Unreadable] = (),
    full: bool = False,
    view: View | None = None,
) -> Judged:
    """Read units into tables and derive what follows from them."""
    db = load(units, files, scope, full=full, unreadable=unreadable, view=view)
    return Judged(db, (*units, *strays(unreadable, units)), scope, policy)


def load(
    units: Sequence[Unit],
    files: Files,
    scope: Scope,
    target: str = ":memory:",
    full: bool = False,
    unreadable: Sequence[stores.Unreadable] = (),
    view: View | None = None,
) -> Database:
    db = Database(target)
    for batch in tables(units, files, scope, full, view, db.load_part):
        db.load(batch)
    db.load(stray_rows(unreadable, units))
    complete(db, scope, lend=not full)
    return db


def complete(db: Database, scope: Scope, lend: bool) -> None:
    """What the user says of tools, and what follows from the rows. `lend`: nobody alters them."""
    if lend:
        db.lend(but=["call"] if scope.side_effects else ())
    db.flush()
    for tool, effect in scope.side_effects:
        db.rows("update call set side_effect = ? where name = ?", effect, tool)
    db.derive()


def strays(unreadable: Sequence[stores.Unreadable], units: Sequence[Unit]) -> list[Unit]:
    """A file that cannot be read is its own unit, so that its finding has a place."""
    first = max((unit.index for unit in units), default=-1) + 1
    return [Unit(n, UNKNOWN, (found.path,)) for n, found in enumerate(unreadable, first)]


def stray_rows(unreadable: Sequence[stores.Unreadable], units: Sequence[Unit]) -> Tables:
    sink = Sink()
    for unit, found in zip(strays(unreadable, units), unreadable, strict=True):
        sink.add("source", SourceRow(unit.index, UNKNOWN, found.path, "unknown"))
        row = DamageRow(unit.index, found.path, "unreadable", None, None, None, found.reason)
        sink.add("damage", row)
    return sink.tables()


def translate(unit: Unit, files: Files, operations: Sequence[Operation]) -> Sequence[Translated]:
    made = stores.store_named(unit.store).edits(unit, files, operations)
    _check_files(made, files)
    return made


def refusals(
    unit: Unit, files: Files, groups: Sequence[Sequence[Operation]]
) -> Sequence[str | None]:
    """Why each of these cannot be done alone."""
    found: list[str | None] = []
    for made in stores.store_named(unit.store).each(unit, files, groups):
        try:
            if isinstance(made, Unsupported):
                raise made
            _check_files(made, files)
        except Unsupported as reason:
            found.append(str(reason))
        else:
            found.append(None)
    return found


def _check_files(made: Sequence[Translated], files: Files) -> None:
    rows = {e.path for one in made for e in one.edits if isinstance(e, RowEdit)}
    for path in sorted(rows):
        # also when this plan repairs the file: its rows are planned from what comes of that
        if not is_server(path) and files.condition(path).is_damaged:
            raise Unsupported(
                f"{path} is damaged: repair the file first (db-corrupt), then plan again"
            )


def chosen(units: Collection[Unit], scope: Scope) -> tuple[Unit, ...]:
    """SQL units of other sessions need not be read at all."""
    kept = [u for u in units if not scope.sessions or u.session in (None, *scope.sessions)]
    return tuple(replace(unit, index=i) for i, unit in enumerate(kept))


def chosen_by_text(units: Collection[Unit], scope: Scope) -> tuple[Unit, ...]:
    """The same for plans and tables, which keep names as text. Raises NothingToRead for a path
    that is none."""
    kept = chosen(units, scope)
    for path in (path for unit in kept for path in unit.paths):
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = path.encode("utf-8", "replace").decode()
            raise NothingToRead(
                f"{shown}: the name holds bytes that are not UTF-8; name it through a link: "
                "ln -s THE-FOLDER link, then type link"
            ) from None
    return kept


def as_known(unit: Unit, files: Files) -> Unit:
    """The repair of a torn first line may tell what a file is, and the next check looks at that."""
    if unit.store != UNKNOWN:
        return unit
    path = unit.paths[0]
    return replace(unit, store=stores.known_by(path, files.data(path)) or UNKNOWN)
