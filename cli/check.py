"""`suture check`."""

from collections.abc import Sequence
from pathlib import Path

import click

from suture import api
from suture.cli._next import next_command, of_the_store
from suture.cli._options import journal_option, scope_options
from suture.cli._report_json import report_json
from suture.cli._text import emit_json, say, show_report
from suture.model.finding import Severity
from suture.model.report import Report
from suture.model.scope import Scope
from suture.model.selection import LEVELS


@click.command("check")
@scope_options
@journal_option
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warn", "info", "never"]),
    help="Exit 1 if a finding is at or above this (default: error).",
)
@click.option("--select", multiple=True, metavar="RULES", help="Tell these only.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Do not tell these.")
@click.option("--severity", multiple=True, metavar="RULE=LEVEL", help="off, info, warn or error.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Findings in this file do not fail."
)
@click.option("--write-baseline", type=click.Path(path_type=Path), help="Make all findings known.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Skip what did not change since a clean check; kept in this folder.",
)
@click.option("--allow-empty", is_flag=True, default=None, help="Exit 0 if there is no session.")
@click.option("--info", is_flag=True, help="Show notes too.")
@click.option("--all", "show_all", is_flag=True, help="Show every finding of a kind.")
@click.option("--format", "form", type=click.Choice(["text", "json", *api.FORMS]), default="text")
def command(
    scope: Scope,
    journal: Path | None,
    fail_on: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    severity: tuple[str, ...],
    baseline: Path | None,
    write_baseline: Path | None,
    cache: Path | None,
    allow_empty: bool | None,
    info: bool,
    show_all: bool,
    form: str,
) -> int:
    """Say what is broken in STORE and what a resume will lose. Changes nothing.

    \b
    suture check ~/.claude/projects
    suture check --fail-on warn fixtures/ --format json
    suture check --ignore large,4 --severity torn-tail=warn fixtures/
    suture check --baseline known.json --cache .cache/suture fixtures/

    RULES are names, codes, or the first digits of codes, with commas between. Options win over
    suture.toml, and that over [tool.suture] of pyproject.toml.

    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage, 3 nothing could be read.
    """
    typed = api.Layer(
        select=_names(select),
        ignore=_names(ignore),
        severity=tuple(_level(text) for text in severity),
        fail_on=fail_on,
        baseline=baseline,
        cache=cache,
        allow_empty=allow_empty,
    )
    report = api.check(scope, journal, api.settings(typed, write_baseline))
    notes = info or report.fail_on is Severity.INFO
    if form == "json":
        emit_json(report_json(report))
    elif form == "text":
        show_report(report, notes, show_all)
        say(f"\nnext: {_next(report, scope, notes)}")
    else:
        click.echo(api.render(report, form, notes), nl=False)
    return int(report.failed)


def _next(report: Report, scope: Scope, notes: bool) -> str:
    if any(item.repairs for item in report.findings if item.finding.severity > Severity.INFO):
        last = ("-o", "plan.json")
        return next_command("plan", *scope.paths, repeat=of_the_store(), last=last)
    if told := [item.finding for item in report.findings if item.speaks]:
        page = next_command("rules", max(told, key=lambda f: f.severity).rule, repeat=())
        return f"`{page}` tells what it means; nothing that was found has a repair"
    if report.summary["info"] and not notes:
        again = next_command("check", *scope.paths, "--info", repeat=of_the_store())
        return f"nothing to do; `{again}` shows the notes"
    return "nothing to do"


def _names(typed: Sequence[str]) -> tuple[str, ...] | None:
    names = tuple(name for text in typed for name in text.split(",") if name)
    return names or None


def _level(text: str) -> tuple[str, str]:
    rule, _, level = text.partition("=")
    if level not in LEVELS:
        raise click.BadParameter(f"{text!r} is not RULE=LEVEL with a level of {', '.join(LEVELS)}")
    return rule, level
