"""`suture export`."""

from pathlib import Path

import click

from suture import api
from suture.cli._options import journal_option, scope_options
from suture.cli._text import plural, say, show_notices
from suture.model.scope import Scope


@click.command("export")
@scope_options
@journal_option
@click.option("--to", type=click.Choice(["parquet"]), required=True)
@click.option("--plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def command(scope: Scope, journal: Path | None, to: str, plan: Path | None, folder: Path) -> int:
    """Write STORE as Parquet tables to FOLDER, which must be new or empty.

    \b
    suture export ~/.claude/projects --to parquet out/
    suture export SESSION.jsonl --to parquet out/ --plan plan.json

    Exit codes: 0 done, 3 nothing could be read or FOLDER is not empty.
    """
    for entry in api.export(scope, folder, plan):
        say(f"{plural(entry['rows'], 'row')} in {folder / entry['path']}")
    show_notices(api.unfinished(journal))
    return 0
