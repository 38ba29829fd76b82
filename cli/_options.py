"""Options that several commands share, and the scope made from them."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path

import click

from suture import api
from suture.cli._progress import progress_bar
from suture.model.scope import Scope

FORMATS = (
    "claude-code",
    "codex",
    "crush",
    "eventlog",
    "gemini",
    "google-adk",
    "goose",
    "langgraph",
    "laxcode",
    "openai-agents",
    "opencode",
    "sqlite",
)

Command = Callable[..., int]


def scope_options(command: Command) -> Command:
    """STORE… and what to look at in it; the command gets them as one `scope`."""

    @wraps(command)
    def with_scope(
        store: tuple[str, ...],
        *,
        as_format: str | None,
        sessions: tuple[str, ...],
        assume: str | None,
        now: str | None,
        jobs: int | None,
        map_file: str | None,
        since: str | None,
        where: str | None,
        **rest: object,
    ) -> int:
        instant = _instant(now) if now else None
        effects = api.side_effects()
        with progress_bar() as told:
            scope = Scope(
                tuple(api.remember(text) if "://" in text else text for text in store),
                as_format,
                sessions,
                assume,
                instant,
                jobs,
                effects,
                told,
                map_file,
                _instant(since) if since else None,
                where,
            )
            return command(scope=scope, **rest)

    for decorate in (
        click.option(
            "--map",
            "map_file",
            type=click.Path(dir_okay=False),
            help="Mapping file of tables of your own; `suture stores --map-template` writes one.",
        ),
        click.option("--jobs", type=click.IntRange(1), help="Processes that read."),
        click.option("--now", envvar="SUTURE_NOW", metavar="TIME", help="Take this as the clock."),
        click.option(
            "--assume",
            type=click.Choice(["live", "dead"]),
            help="Take the writer as live or dead instead of looking (fixtures, copies).",
        ),
        click.option(
            "--where", metavar="SQL", help="Only sessions whose row in the database it holds for."
        ),
        click.option("--since", metavar="TIME", help="Only sessions written to at TIME or later."),
        click.option("--session", "sessions", multiple=True, help="Only this one; repeatable."),
        click.option("--as", "as_format", type=click.Choice(FORMATS), help="Take it as this."),
        click.argument("store", nargs=-1, required=True),
    ):
        with_scope = decorate(with_scope)
    return with_scope


journal_option = click.option(
    "--journal",
    envvar="SUTURE_JOURNAL",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the journal (default: in the user's state folder).",
)


def _instant(text: str) -> int:
    """`2026-03-03T09:00:00Z` → UTC microseconds."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a time such as 2026-03-03T09:00:00Z") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1_000_000)
