"""Everything the command line does, as functions."""

from __future__ import annotations  # some of the types are imported late

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suture import __version__, checking, config
from suture.config import Layer, Settings
from suture.db import Database
from suture.model.errors import BadQuery, NothingToRead
from suture.model.inspection import SessionLine, SessionView
from suture.model.plan import Plan
from suture.model.report import Report, RulePage
from suture.model.scope import Scope, Wanted
from suture.narrowing import all_there, keep_named
from suture.reference import (
    abilities,
    mapping_template,
    rule_page,
    rules,
    rules_markdown,
    stores,
    stores_markdown,
    stores_table,
)
from suture.repair.journal_root import is_empty, root
from suture.run import chosen_by_text, judge, looking
from suture.run import load as load_units

if TYPE_CHECKING:
    from suture.applying import apply_plan as apply
    from suture.applying import read_plan, resume, undo
    from suture.exporters.parquet import Written
    from suture.repair.applier import Applied, Outcome
    from suture.repair.journal import Entry
    from suture.servers.connect import remember

# What only some commands need is imported by them: hooks run `check` on every commit.
_LATE = {
    "Applied": "suture.repair.applier",
    "Entry": "suture.repair.journal",
    "Outcome": "suture.repair.applier",
    "apply": "suture.applying:apply_plan",
    "read_plan": "suture.applying",
    "remember": "suture.servers.connect",
    "resume": "suture.applying",
    "undo": "suture.applying",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(name)
    module, _, other = _LATE[name].partition(":")
    return getattr(import_module(module), other or name)


__all__ = [
    "FORMS",
    "Applied",
    "Entry",
    "Layer",
    "Outcome",
    "Settings",
    "__version__",
    "abilities",
    "apply",
    "ask",
    "check",
    "export",
    "inspect",
    "journal_entries",
    "journal_entry",
    "journal_extract",
    "journal_prune",
    "load",
    "mapping_template",
    "plan",
    "read_plan",
    "remember",
    "render",
    "resume",
    "rule_page",
    "rules",
    "rules_markdown",
    "sessions",
    "settings",
    "side_effects",
    "stores",
    "stores_markdown",
    "stores_table",
    "undo",
    "unfinished",
]

FORMS = ("sarif", "junit", "github", "markdown")


def check(scope: Scope, journal: Path | None = None, settings: Settings | None = None) -> Report:
    """Judge everything below the scope's paths. Raises NothingToRead when there is nothing."""
    return checking.check(scope, settings or Settings(), unfinished(journal))


def unfinished(journal: Path | None) -> list[str]:
    """What is to be said of repairs that were cut off."""
    folder = root(journal)
    if is_empty(folder):
        return []
    from suture.repair import journal as journals

    named = "" if journal is None else f" --journal {shlex.quote(str(journal))}"
    return [
        f"apply {entry.id} was cut off; `suture apply --resume {entry.id}{named}` finishes it, "
        f"`suture undo {entry.id}{named}` takes it back"
        for entry in journals.unfinished(folder)
    ]


def settings(typed: Layer, write_baseline: Path | None = None) -> Settings:
    """What the configuration files above the working folder say, then what was typed. Raises
    BadSetting."""
    return config.settings((*config.layers(_here()), typed), _codes, write_baseline)


def _codes() -> Mapping[str, str]:
    return {rule.name: rule.code for rule in rules()}


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # somebody has deleted the folder that the shell stands in
        return Path("/")


def side_effects() -> tuple[tuple[str, str], ...]:
    """What the configuration files say of tools. Raises BadSetting."""
    return config.side_effects(config.layers(_here()))


def render(report: Report, form: str, notes: bool = False) -> str:
    """The report in one of FORMS. Where people read, findings of level info need `notes`."""
    from suture.exporters.frame import Frame

    exporter = import_module(f"suture.exporters.{form}")
    text: str = exporter.render(report, Frame(__version__, str(_here()), notes, _page))
    return text


def _page(code: str) -> RulePage:
    rule = next(rule for rule in rules() if rule.code == code)
    return RulePage(rule.code, rule.name, rule.severity, rule_page(rule))


def plan(scope: Scope, wanted: Wanted, output: Path, no_content: bool = False) -> Plan:
    """Write the repair of everything below the scope's paths to `output`, and nothing else."""
    from suture.outputs import write_whole
    from suture.planning import make_plan, plan_bytes

    made = make_plan(scope, wanted)
    write_whole(output, plan_bytes(made, no_content))
    return made


def journal_entries(journal: Path | None) -> list[Entry]:
    """Oldest first."""
    from suture.repair import journal as journals

    return journals.entries(root(journal))


def journal_entry(entry: str, journal: Path | None) -> Entry:
    """Raises NothingToRead for an unknown id."""
    from suture.repair import journal as journals

    return journals.show(root(journal), entry)


def journal_extract(entry: str, step: int, journal: Path | None) -> bytes:
    """The bytes, or the rows as JSON lines, that a step took out."""
    from suture.repair.extract import extract

    return extract(root(journal), entry, step)


def journal_prune(older_than: timedelta, journal: Path | None) -> list[str]:
    """Ids of the journals that were removed; one that is unfinished stays."""
    from suture.repair import journal as journals

    return journals.prune(root(journal), older_than)


def sessions(scope: Scope) -> list[SessionLine]:
    """One line a session, in the order of their files."""
    from suture.db.inspection import session_lines

    with _tables(scope) as db:
        return [line for _, line in session_lines(db)]


def inspect(scope: Scope) -> list[SessionView]:
    """The views of the sessions that the scope names. Raises NothingToRead for an unknown one."""
    from suture.db.inspection import session_lines, session_view

    with _tables(scope) as db:
        lines = session_lines(db)
        all_there(scope, (line.id for _, line in lines))
        return [session_view(db, key, line) for key, line in lines if line.id in scope.sessions]


def load(scope: Scope, target: Path) -> int:
    """Write the canonical tables to a DuckDB file; returns the number of records."""
    from suture.outputs import new_database

    with new_database(target), _tables(scope, str(target), full=True) as db:
        keep_named(db, scope)
        (row,) = db.rows("select count(*) as records from record")
        return int(row.records)


def ask(scope: Scope, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Column names and rows of a query over the canonical tables, which it cannot leave. Raises
    BadQuery."""
    import duckdb

    if not query.strip("; \t\n"):
        raise BadQuery('the query is empty; try "select * from session"')
    with _tables(scope, full=True) as db:
        keep_named(db, scope)
        db.lock()
        try:
            return db.ask(query)
        except duckdb.Error as error:
            raise BadQuery(str(error)) from error


def export(scope: Scope, target: Path, plan_file: Path | None = None) -> list[Written]:
    """Write the public tables below `target`, which must be new or empty; with a plan also
    `plan_steps`. Returns the manifest's entries."""
    from suture.applying import read_plan
    from suture.exporters import parquet
    from suture.outputs import new_folder

    if target.is_dir() and any(target.iterdir()):
        raise NothingToRead(f"{target} is not empty; name a new folder")
    with new_folder(target), looking(scope) as (found, files):
        units = chosen_by_text(found.units, scope)
        judged = judge(units, files, scope, full=True)

        def raw(path: str, offset: int, length: int) -> bytes:
            return bytes(files.data(path)[offset : offset + length])

        findings = judged.all  # of other sessions rules may have to know
        keep_named(judged.db, scope)
        written = parquet.export(judged.db, findings, raw, target, __version__)
        if plan_file is not None:
            written.append(parquet.export_plan(read_plan(plan_file), target, __version__))
    return written


@contextmanager
def _tables(scope: Scope, target: str = ":memory:", full: bool = False) -> Iterator[Database]:
    with looking(scope) as (found, files):
        db = load_units(chosen_by_text(found.units, scope), files, scope, target, full)
    try:
        yield db
    finally:
        db.close()
