"""`suture load`."""

from pathlib import Path

import click

from suture import api
from suture.cli._options import scope_options
from suture.cli._text import plural, quoted, say
from suture.model.scope import Scope


@click.command("load")
@scope_options
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), required=True)
def command(scope: Scope, db: Path) -> int:
    """Write STORE's canonical tables, texts included, to a new DuckDB file.

    \b
    suture load ~/.claude/projects --db sessions.duckdb

    Exit codes: 0 done, 2 the file exists, 3 nothing could be read.
    """
    if db.exists():
        raise click.UsageError(f"{db} exists; name a new file")
    count = api.load(scope, db)
    say(f"{plural(count, 'record')} in {db}")
    say(f"next: duckdb {quoted(str(db))}, or: suture sql {quoted(scope.paths[0])} 'select …'")
    return 0
