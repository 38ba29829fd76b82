"""`suture check`."""

from pathlib import Path

import click

from suture import api
from suture.cli._options import journal_option, scope_options
from suture.cli._report_json import report_json
from suture.cli._text import emit_json, show_report
from suture.model.finding import Severity
from suture.model.scope import Scope


@click.command("check")
@scope_options
@journal_option
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warn", "info", "never"]),
    default="error",
    show_default=True,
    help="Exit 1 if a finding is at or above this.",
)
@click.option("--info", is_flag=True, help="Show notes too.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(scope: Scope, journal: Path | None, fail_on: str, info: bool, form: str) -> int:
    """Say what is broken in STORE and what a resume will lose. Changes nothing.

    \b
    suture check ~/.claude/projects
    suture check --fail-on warn fixtures/ --format json

    Exit codes: 0 nothing at or above --fail-on, 1 findings, 3 nothing could be read.
    """
    report = api.check(scope, journal)
    if form == "json":
        emit_json(report_json(report))
    else:
        show_report(report, scope.paths, info or fail_on == "info")
    if fail_on == "never":
        return 0
    level = Severity[fail_on.upper()]
    return int(any(item.finding.severity >= level for item in report.findings))
