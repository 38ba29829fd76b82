"""`suture undo`."""

import sys
from pathlib import Path

import click

from suture import api
from suture.cli._options import journal_option
from suture.cli._text import clean, say


@click.command("undo")
@click.argument("entry", metavar="ID", required=False)
@click.option("--last", is_flag=True, help="The newest apply.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@journal_option
def command(entry: str | None, last: bool, yes: bool, journal: Path | None) -> int:
    """Take an applied plan back: every byte, mode and time, every row.

    \b
    suture undo --last
    suture undo 20261129T192500Z-1f3a

    Exit codes: 0 done, 3 no such journal, 4 the store has moved on, 6 a process writes to it.
    """
    if (entry is None) != last:
        raise click.UsageError("name an ID (`suture journal list` shows them), or --last")
    if not yes and sys.stdin is not None and sys.stdin.isatty():
        click.confirm(f"take back {entry or 'the newest apply'}?", abort=True)
    taken, outcomes = api.undo(entry, journal)
    for outcome in outcomes:
        say(f"{outcome.status.replace('_', ' ')}: {clean(outcome.unit)}")
    say(f"{taken} is taken back")
    return 0
