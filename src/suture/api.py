"""Everything the command line does, as functions. Heavy imports stay inside them: `suture
--version` must not wait for DuckDB."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from suture.model.errors import BadQuery, NothingToRead
from suture.model.inspection import SessionLine, SessionView
from suture.model.plan import Plan
from suture.model.report import Report
from suture.model.scope import Scope, Wanted

if TYPE_CHECKING:
    from suture.repair.applier import Applied, Outcome
    from suture.repair.journal import Entry
    from suture.stores import Store
    from suture.validators import Rule


def check(scope: Scope, journal: Path | None = None) -> Report:
    """Judge everything below the scope's paths. Raises NothingToRead when there is nothing."""
    from suture.repair.journal import root, unfinished
    from suture.reporting import report
    from suture.run import chosen, judge, looking

    with looking(scope) as (found, files):
        judged = judge(chosen(found.units, scope), files, scope, unreadable=found.unreadable)
        notices = [f"{s.path}: {s.reason}, skipped" for s in found.skipped]
        notices += [
            f"apply {entry.id} was cut off; `suture apply --resume {entry.id}` finishes it, "
            f"`suture undo {entry.id}` takes it back"
            for entry in unfinished(root(journal))
        ]
        return report(judged, notices)


def plan(scope: Scope, wanted: Wanted, output: Path, no_content: bool = False) -> Plan:
    """Write the repair of everything below the scope's paths to `output`, and nothing else."""
    from suture.planning import make_plan, plan_bytes

    made = make_plan(scope, wanted)
    output.write_bytes(plan_bytes(made, no_content))
    return made


def read_plan(path: Path) -> Plan:
    """Raises BadPlan when the file is not a plan of this version."""
    from suture.applying import read_plan as read

    return read(path)


def apply(
    plan: Path, journal: Path | None = None, all_or_none: bool = False, force_live: bool = False
) -> "Applied":
    """Carry out a plan file: of each unit all or nothing."""
    from suture.applying import apply_plan

    return apply_plan(plan, journal, all_or_none, force_live)


def resume(entry: str, journal: Path | None = None) -> "Applied":
    """Finish an apply that was cut off."""
    from suture.applying import resume as go_on

    return go_on(entry, journal)


def undo(entry: str | None, journal: Path | None = None) -> "tuple[str, tuple[Outcome, ...]]":
    """Take an apply back, the newest when none is named."""
    from suture.applying import undo as take_back

    return take_back(entry, journal)


def journal_entries(journal: Path | None) -> "list[Entry]":
    """Oldest first."""
    from suture.repair.journal import entries, root

    return entries(root(journal))


def journal_entry(entry: str, journal: Path | None) -> "Entry":
    """Raises NothingToRead for an unknown id."""
    from suture.repair.journal import root, show

    return show(root(journal), entry)


def journal_extract(entry: str, step: int, journal: Path | None) -> bytes:
    """The bytes, or the rows as JSON lines, that a step took out."""
    from suture.repair.journal import extract, root

    return extract(root(journal), entry, step)


def journal_prune(older_than: timedelta, journal: Path | None) -> list[str]:
    """Ids of the journals that were removed; one that is unfinished stays."""
    from suture.repair.journal import prune, root

    return prune(root(journal), older_than)


def sessions(scope: Scope) -> list[SessionLine]:
    from suture.db.inspection import session_lines
    from suture.run import chosen, looking
    from suture.run import load as load_units

    with looking(scope) as (found, files):
        db = load_units(chosen(found.units, scope), files, scope)
    return [line for _, line in session_lines(db)]


def inspect(scope: Scope) -> list[SessionView]:
    """The views of the sessions that the scope names. Raises NothingToRead for an unknown one."""
    from suture.db.inspection import session_lines, session_view
    from suture.run import chosen, looking
    from suture.run import load as load_units

    with looking(scope) as (found, files):
        db = load_units(chosen(found.units, scope), files, scope)
    lines = session_lines(db)
    if missing := set(scope.sessions) - {line.id for _, line in lines}:
        raise NothingToRead(f"no session {sorted(missing)[0]} there; `suture inspect` lists them")
    return [session_view(db, key, line) for key, line in lines if line.id in scope.sessions]


def rule_page(rule: "Rule") -> str:
    """The rule's page: what it is, why it matters, an example, the repair."""
    import sys
    from inspect import cleandoc

    return cleandoc(sys.modules[rule.check.__module__].__doc__ or "")


def load(scope: Scope, target: Path) -> int:
    """Write the canonical tables to a DuckDB file; returns the number of records."""
    from suture.run import chosen, looking
    from suture.run import load as load_units

    with looking(scope) as (found, files):
        db = load_units(chosen(found.units, scope), files, scope, str(target), full=True)
        (row,) = db.rows("select count(*) as records from record")
        db.close()
        return int(row.records)


def ask(scope: Scope, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Column names and rows of a query over the canonical tables, which it cannot leave."""
    import duckdb

    from suture.run import chosen, looking
    from suture.run import load as load_units

    with looking(scope) as (found, files):
        db = load_units(chosen(found.units, scope), files, scope, full=True)
    db.lock()
    try:
        return db.ask(query)
    except duckdb.Error as error:
        raise BadQuery(str(error)) from error


def rules() -> Sequence["Rule"]:
    from suture import validators

    return validators.all_rules()


def stores() -> Sequence["Store"]:
    from suture import stores as known

    return known.all_stores()
