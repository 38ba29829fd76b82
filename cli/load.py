"""`suture load`."""

from pathlib import Path

import click

from suture import api
from suture.cli._next import next_command, of_the_store, quoted
from suture.cli._options import journal_option, scope_options
from suture.cli._text import plural, say, show_notices
from suture.model.scope import Scope


@click.command("load")
@scope_options
@journal_option
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), required=True)
def command(scope: Scope, journal: Path | None, db: Path) -> int:
    """Write STORE's canonical tables, texts included, to a new DuckDB file.

    \b
    suture load ~/.claude/projects --db sessions.duckdb

    Exit codes: 0 done, 2 the file exists, 3 nothing could be read or written.
    """
    if db.exists():
        raise click.UsageError(f"{db} exists; name a new file")
    count = api.load(scope, db)
    say(f"{plural(count, 'record')} in {db}")
    show_notices(api.unfinished(journal))
    words = (*scope.paths, "select * from session")
    say(f"next: {next_command('sql', *words, repeat=of_the_store())}")
    say(f"  or, where DuckDB's own shell is installed: duckdb {quoted(str(db))}")
    return 0
