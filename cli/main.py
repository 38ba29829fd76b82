"""`suture`: the command group, and the one place where an error becomes an exit code."""

import atexit
import errno
import gc
import os
import sys
from importlib import import_module

import click

from suture import __version__
from suture.model.errors import SutureError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_COMMANDS = {
    "check": "Say what is broken and what a resume will lose.",
    "inspect": "Show sessions, and the state that a resume of one would find.",
    "plan": "Write a repair plan that a person can read.",
    "apply": "Carry out a plan: all of a session's changes or none.",
    "undo": "Take an applied plan back, byte for byte.",
    "journal": "List, show and prune what apply has kept.",
    "load": "Write the canonical tables to a DuckDB file.",
    "sql": "Ask the canonical tables a question in SQL.",
    "export": "Write Parquet for analysis.",
    "rules": "List the rules, or print the page of one.",
    "stores": "List the formats and what each supports.",
}


class _Late(click.Group):
    """Imports a command when it is asked for: `--version` must not wait for DuckDB."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"suture.cli.{cmd_name}"), "command")  # noqa: B009
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Late)
@click.version_option(__version__, prog_name="suture")
def commands() -> None:
    """Fsck for the session stores of AI agents: check, plan, apply, undo.

    \b
    suture check ~/.claude/projects
    suture plan SESSION.jsonl -o plan.json
    suture apply plan.json
    """


def run() -> None:
    """`main`, and away: to take apart all that was imported takes 10 ms, of a small check a
    twentieth (measured with DuckDB 2.0.1 and pyarrow 26)."""
    try:
        main()
    except SystemExit as end:
        try:
            if sys.stdout is not None:  # as after `>&-`
                sys.stdout.flush()
        except OSError:
            raise end from None  # the interpreter says that it cannot write
        atexit._run_exitfuncs()  # private folders go
        os._exit(end.code if isinstance(end.code, int) else 1)


def main() -> None:
    # Records are many and hold no circles: looking for some again and again costs a tenth of a run.
    gc.set_threshold(200_000, 20, 20)
    status = None
    try:
        status = commands(prog_name="suture", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("suture: interrupted; nothing was left half done", err=True)
        sys.exit(130)
    except KeyboardInterrupt:
        click.echo("suture: interrupted; nothing was left half done", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SutureError as error:
        click.echo(f"suture: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in _FULL:
            _bug()
        named = f" ({error.filename})" if error.filename else ""
        click.echo(
            f"suture: {error.strerror}{named}: make room and run it again; "
            "nothing was left half done",
            err=True,
        )
        sys.exit(3)
    except Exception:
        _bug()
    sys.exit(status if isinstance(status, int) else 0)


def _bug() -> None:
    """Anything that gets here is suture's fault, not the store's."""
    import tempfile  # noqa: PLC0415  # `--version` must not wait for these either
    import traceback  # noqa: PLC0415

    from suture.model.address import shown  # noqa: PLC0415

    with tempfile.NamedTemporaryFile(
        "w",
        prefix="suture-bug-",
        suffix=".txt",
        delete=False,
        encoding="utf-8",
        errors="backslashreplace",
    ) as file:
        file.write(
            f"suture {__version__}\n{' '.join(map(shown, sys.argv))}\n\n{traceback.format_exc()}"
        )
    click.echo(
        f"suture: a bug in suture, not in your store; nothing was left half done.\n"
        f"The traceback is in {file.name}",
        err=True,
    )
    sys.exit(70)
