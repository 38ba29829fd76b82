"""Where a value stands: a column, or a path in the JSON of a column."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

_STEP = re.compile(r"""\.([\w-]+)|\["([^"]+)"\]|\['([^']+)'\]|\[(\d+)\]|\[(\*)\]""")

Step = str | int | None  # a name, a place in a list, each of a list


class Place(Struct, frozen=True):
    column: str | None  # None: the payload
    path: tuple[Step, ...] | None  # None: the column as it is
    inner: bool = False  # from an element of a list, not from a column


class BadPlace(ValueError):
    """The text is no place."""


@lru_cache(maxsize=1000)
def place(text: str) -> Place:
    """`column`, `$.path`, `column:$.path` or `@.path`. Raises BadPlace."""
    column, colon, rest = text.partition(":")
    if colon and rest.startswith("$"):
        return Place(column, _path(rest))
    if text.startswith("$"):
        return Place(None, _path(text))
    if text.startswith("@"):
        return Place(None, _path(text), inner=True)
    return Place(text, None)


def _path(text: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    at = 1
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise BadPlace(f"{text!r} is no path at {text[at:]!r}; write it as $.name[0].inner[*]")
        name, quoted, single, number, _ = found.groups()
        steps.append(name or quoted or single or (int(number) if number else None))
        at = found.end()
    return tuple(steps)


def first(value: object, path: tuple[Step, ...]) -> object:
    """What `walk` yields first; None where the path leads to nothing."""
    for at, step in enumerate(path):
        if isinstance(step, str):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        elif step is None:
            return next(walk(value, path[at:]), None)
        elif isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def firsts(values: Sequence[object], path: tuple[Step, ...]) -> list[object]:
    """`first` of each."""
    match path:
        case (str(name),):  # as most are
            return [value.get(name) if isinstance(value, dict) else None for value in values]
    return [first(value, path) for value in values]


def walk(value: object, path: tuple[Step, ...]) -> Iterator[object]:
    """Every value that the path leads to."""
    if not path:
        yield value
        return
    step, rest = path[0], path[1:]
    if step is None:
        for item in value if isinstance(value, list) else ():
            yield from walk(item, rest)
    elif isinstance(step, int):
        if isinstance(value, list) and step < len(value):
            yield from walk(value[step], rest)
    elif isinstance(value, dict) and step in value:
        yield from walk(value[step], rest)
