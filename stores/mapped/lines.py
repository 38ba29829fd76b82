"""In which line of a TOML text a key stands: its parser forgets that."""

import re
from collections.abc import Iterator, Sequence

_TABLE = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_NAME = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_LONG = ('"""', "'''")


def line_of(text: str, path: Sequence[object]) -> int | None:
    """The 1-based line of the deepest key of `path` that the text holds."""
    wanted = [str(part) for part in path]
    best, line = 0, None
    for number, key in _keys(text):
        depth = len(key)
        if depth > best and key == wanted[:depth]:
            best, line = depth, number
    return line


def _keys(text: str) -> Iterator[tuple[int, list[str]]]:
    """Every key with its line, tables too. Lines inside a long string are no keys."""
    table: list[str] = []
    within: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if within is not None:
            within = None if within in line else within
            continue
        within = next((mark for mark in _LONG if line.count(mark) == 1), None)
        if found := _KEY.match(line):
            key = [*table, *_names(found[1])]
            yield number, key
            yield from ((number, [*key, *inner]) for inner in _inline(line[found.end() :]))
        elif found := _TABLE.match(line):
            table = _names(found[1])
            yield number, table


def _inline(rest: str) -> Iterator[list[str]]:
    """Keys of a table in one line."""
    if rest.lstrip().startswith("{"):
        for found in re.finditer(r"[{,]" + _KEY.pattern, rest):
            yield _names(found[1])


def _names(dotted: str) -> list[str]:
    return [name.strip("\"'") for name in _NAME.findall(dotted)]
