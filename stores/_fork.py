"""Where an id stands in lines of JSON, so that a copy of them can be given another."""

import re
from collections.abc import Callable, Iterator
from uuid import NAMESPACE_URL, uuid5

from suture.stores._json_span import Path, span


def fresh_id(old: str, digest: str) -> str:
    """The same repair of the same session makes the same id."""
    return str(uuid5(NAMESPACE_URL, f"suture\nfork\n{old}\n{digest}"))


def places(data: bytes, id: str, paths: Callable[[bytes], tuple[Path, ...]]) -> tuple[int, ...]:
    """Offsets of the quoted id where a line holds it at one of `paths(line)`."""
    token = f'"{id}"'.encode()
    found: set[int] = set()
    for start, line in _lines_with(data, token):
        for path in paths(line):
            place = span(line, path)
            if place is not None and line[slice(*place)] == token:
                found.add(start + place[0])
    return tuple(sorted(found))


def _lines_with(data: bytes, token: bytes) -> Iterator[tuple[int, bytes]]:
    end = 0
    for found in re.finditer(re.escape(token), data):
        if found.start() < end:
            continue
        start = data.rfind(b"\n", 0, found.start()) + 1
        end = data.find(b"\n", found.end())
        end = len(data) if end < 0 else end
        yield start, data[start:end]
