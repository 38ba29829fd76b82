"""The next command to type, whole: what was typed and matters to it is said again."""

import shlex
from collections.abc import Iterator, Sequence

import click
from click.core import ParameterSource

from suture.cli._text import clean

_OF_THE_STORE = ("as_format", "sessions", "since", "where", "assume", "now", "map_file")
JOURNAL = ("journal",)


def next_command(
    name: str, *words: str, repeat: Sequence[str] = JOURNAL, last: Sequence[str] = ()
) -> str:
    """A command line that can be pasted into a shell."""
    return " ".join(("suture", name, *map(quoted, (*words, *_typed(repeat), *last))))


def of_the_store(*leave_out: str) -> tuple[str, ...]:
    """The options that say what is looked at, and the journal."""
    return tuple(name for name in (*_OF_THE_STORE, *JOURNAL) if name not in leave_out)


def _typed(names: Sequence[str]) -> Iterator[str]:
    """What stands in the environment is there for the next command too."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is ParameterSource.COMMANDLINE:
            found = context.params[option.name]
            if isinstance(option, click.Option) and option.is_flag:
                yield (option.opts if found else option.secondary_opts)[0]
                continue
            for value in found if option.multiple else (found,):
                yield from (option.opts[0], str(value))


def quoted(word: str) -> str:
    return shlex.quote(clean(word))
