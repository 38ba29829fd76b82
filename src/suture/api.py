"""Everything the command line does, as functions. Heavy imports stay inside them: `suture
--version` must not wait for DuckDB."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from suture.model.errors import BadQuery
from suture.model.plan import Plan
from suture.model.report import Report
from suture.model.scope import Scope, Wanted

if TYPE_CHECKING:
    from suture.stores import Store
    from suture.validators import Rule


def check(scope: Scope, journal: Path | None = None) -> Report:
    """Judge everything below the scope's paths. Raises NothingToRead when there is nothing."""
    from suture.repair.journal import unfinished
    from suture.reporting import report
    from suture.run import chosen, judge, looking

    with looking(scope) as (found, files):
        judged = judge(chosen(found.units, scope), files, scope, unreadable=found.unreadable)
        notices = [f"{s.path}: {s.reason}, skipped" for s in found.skipped]
        notices += [
            f"apply {entry.id} was cut off; `suture apply --resume {entry.id}` finishes it, "
            f"`suture undo {entry.id}` takes it back"
            for entry in unfinished(journal)
        ]
        return report(judged, notices)


def plan(scope: Scope, wanted: Wanted, output: Path, no_content: bool = False) -> Plan:
    """Write the repair of everything below the scope's paths to `output`, and nothing else."""
    from suture.planning import make_plan, plan_bytes

    made = make_plan(scope, wanted)
    output.write_bytes(plan_bytes(made, no_content))
    return made


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
