"""`suture journal`."""

import re
import sys
from datetime import timedelta
from pathlib import Path

import click

from suture import api
from suture.cli._options import journal_option
from suture.cli._text import clean, plural, say, told_of


@click.group("journal")
def command() -> None:
    """List, show and prune what apply has kept.

    \b
    suture journal list
    suture journal show 20261129T192500Z-1f3a
    suture journal extract 20261129T192500Z-1f3a --step 1 > removed.bin
    suture journal prune --older-than 90d
    """


@command.command("list")
@journal_option
def list_entries(journal: Path | None) -> int:
    """One line an apply, oldest first."""
    entries = api.journal_entries(journal)
    for entry in entries:
        say(f"{entry.id}  {plural(len(entry.units), 'unit')}  {entry.status}")
    if not entries:
        say("the journal is empty")
    return 0


@command.command("show")
@click.argument("entry", metavar="ID")
@journal_option
def show(entry: str, journal: Path | None) -> int:
    """What one apply did to each unit."""
    found = api.journal_entry(entry, journal)
    say(f"{found.id}: {found.status}, kept in {clean(str(found.folder))}")
    for unit in found.units:
        say(f"  {unit.status}: {told_of(unit.unit, unit.reason)}")
    return 0


@command.command("extract")
@click.argument("entry", metavar="ID")
@click.option("--step", type=int, required=True, help="Number of the step in the plan.")
@journal_option
def extract(entry: str, step: int, journal: Path | None) -> int:
    """Write the bytes that a step took out to standard output."""
    sys.stdout.buffer.write(api.journal_extract(entry, step, journal))
    return 0


@command.command("prune")
@click.option("--older-than", required=True, metavar="AGE", help="As 90d or 12h.")
@journal_option
def prune(older_than: str, journal: Path | None) -> int:
    """Remove journals older than AGE. They can then not be undone any more."""
    match = re.fullmatch(r"(\d+)([dh])", older_than)
    if match is None:
        raise click.BadParameter("an age is a number and d or h, as 90d")
    hours = int(match[1]) * (24 if match[2] == "d" else 1)
    gone = api.journal_prune(timedelta(hours=hours), journal)
    say(f"{plural(len(gone), 'journal')} removed")
    return 0
