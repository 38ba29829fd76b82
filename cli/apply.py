"""`suture apply`."""

import sys
from pathlib import Path

import click

from suture import api
from suture.cli._diff import show_diff
from suture.cli._next import next_command
from suture.cli._options import journal_option
from suture.cli._text import clean, plural, say, told_of
from suture.model.finding import Severity
from suture.model.plan import Plan


@click.command("apply")
@click.argument(
    "plan", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False
)
@journal_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the change as a diff and stop.")
@click.option("--all-or-none", is_flag=True, help="Change nothing unless every unit can be.")
@click.option("--force-live", is_flag=True, help="Write even though a process may write too.")
@click.option(
    "--force-network", is_flag=True, help="Write a SQLite file though it lies on NFS or the like."
)
@click.option("--resume", metavar="ID", help="Finish an apply that was cut off.")
def command(
    plan: Path | None,
    journal: Path | None,
    yes: bool,
    dry_run: bool,
    all_or_none: bool,
    force_live: bool,
    force_network: bool,
    resume: str | None,
) -> int:
    """Carry out PLAN. Each unit changes whole or not at all; what leaves is kept in the journal.

    \b
    suture apply plan.json
    suture apply plan.json --dry-run
    suture apply --resume 20261129T192500Z-1f3a

    Exit codes: 0 done and no error left, 1 done but findings remain, 2 not a plan, 4 the store
    changed since the plan, 5 failed and put back, 6 a process still writes to it,
    or may from another host.
    """
    if (plan is None) == (resume is None):
        raise click.UsageError("name a plan, or --resume ID")
    if resume is not None:
        return _tell(api.resume(resume, journal), None)
    assert plan is not None
    wanted = api.read_plan(plan)
    if dry_run:
        show_diff(wanted)
        return 0
    steps = sum(len(unit.steps) for unit in wanted.units)
    if not steps:
        say("nothing to apply: the plan has no steps")
        return _left(wanted)
    if not yes and sys.stdin is not None and sys.stdin.isatty():
        question = f"apply {plural(steps, 'step')} to {plural(len(wanted.units), 'unit')}?"
        click.confirm(question, abort=True)
    return _tell(api.apply(plan, journal, all_or_none, force_live, force_network), wanted)


def _tell(applied: api.Applied, plan: Plan | None) -> int:
    for outcome in applied.outcomes:
        say(f"{outcome.status.replace('_', ' ')}: {told_of(outcome.unit, outcome.reason)}")
        fork = next((u.fork for u in plan.units if u.unit == outcome.unit), None) if plan else None
        if fork is not None and outcome.status == "applied":
            say(f"  as session {clean(fork.session)}: {clean(fork.paths[0])}")
    if applied.journal and any(o.status == "applied" and not o.exit_code for o in applied.outcomes):
        say(f"to take it back: {next_command('undo', applied.journal)}")
    return applied.exit_code or (_left(plan) if plan else 0)


def _left(plan: Plan) -> int:
    """1 when errors stay that a second check will find."""
    skipped = [s.finding for unit in plan.units for s in unit.skipped]
    errors = sum(finding.severity is Severity.ERROR for finding in skipped)
    if errors:
        say(f"{plural(errors, 'error')} left as the plan says; suture check shows what there is")
    for unit, reason in plan.refused:
        say(f"not planned: {told_of(unit, reason)}")
    return int(errors > 0 or bool(plan.refused))
