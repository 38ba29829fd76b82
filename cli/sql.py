"""`suture sql`."""

import csv
import sys
from pathlib import Path

import click

from suture import api
from suture.cli._options import journal_option, scope_options
from suture.cli._text import clean, emit_json, say, show_notices
from suture.model.scope import Scope


@click.command("sql")
@scope_options
@journal_option
@click.argument("query")
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text")
def command(scope: Scope, journal: Path | None, query: str, form: str) -> int:
    """Ask STORE's canonical tables a question. Read-only: no file or network is reached.

    \b
    suture sql SESSION.jsonl "select kind, count(*) from record group by kind"

    Tables: source session record damage part call result pairing turn step compaction
    context_entry artifact state_kv. Exit codes: 0 done, 2 the query is wrong, 3 nothing to read.
    """
    names, rows = api.ask(scope, query)
    show_notices(api.unfinished(journal))
    if form == "json":
        emit_json([dict(zip(names, map(_plain, row), strict=True)) for row in rows])
    elif form == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(names)
        writer.writerows(rows)
    else:
        say("\t".join(names))
        for row in rows:
            say("\t".join(clean(str(value)) if value is not None else "-" for value in row))
    return 0


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str | int | float | bool | list | None) else str(value)
