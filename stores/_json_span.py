"""Where a value lies in JSON text: byte positions, found without decoding what is not asked for."""

import json
import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_SPACE = re.compile(rb"[ \t\r\n]*+")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\[\]{}\":]++")
_TO_BRACKET = re.compile(  # strings are stepped over whole
    rb'[^"\[\]{}]*+(?:"(?:[^"\\]++|\\.)*+"[^"\[\]{}]*+)*+[\[\]{}]', re.DOTALL
)
_OPENERS = b"[{"


def after_space(raw: bytes, pos: int, end: int | None = None) -> int:
    found = _SPACE.match(raw, pos, len(raw) if end is None else end)
    return found.end() if found else pos


def value_end(raw: bytes, pos: int, end: int | None = None) -> int | None:
    """The end of the value that starts at `pos`; None when it is not closed.

    Brackets are counted, not checked for their kind.
    """
    end = len(raw) if end is None else end
    if raw[pos : pos + 1] not in (b"{", b"["):
        pattern = _STRING if raw[pos : pos + 1] == b'"' else _SCALAR
        found = pattern.match(raw, pos, end)
        return found.end() if found else None
    depth = 0
    while found := _TO_BRACKET.match(raw, pos, end):
        pos = found.end()
        depth += 1 if raw[pos - 1] in _OPENERS else -1
        if depth == 0:
            return pos
    return None


def innermost(raw: bytes) -> bytes:
    """The bracket that is still open at the end of a piece of JSON text; empty if none is."""
    open_ones = bytearray()
    pos = 0
    while found := _TO_BRACKET.match(raw, pos):
        pos = found.end()
        if raw[pos - 1] in _OPENERS:
            open_ones.append(raw[pos - 1])
        elif open_ones:
            open_ones.pop()
    return bytes(open_ones[-1:])


Member = tuple[int, int, int]  # start of the member, start and end of its value


def _members(raw: bytes, start: int, wanted: str | int) -> Iterator[tuple[bool, Member]]:
    """Each member or element of the container at `start`, and whether it is the one wanted."""
    named = raw[start : start + 1] == b"{"
    if named is isinstance(wanted, int) or raw[start : start + 1] not in (b"{", b"["):
        return
    plain = json.dumps(wanted, ensure_ascii=False).encode("utf-8", "surrogatepass")
    pos, index = after_space(raw, start + 1), 0
    while raw[pos : pos + 1] not in (b"}", b"]", b""):
        first, hit = pos, index == wanted
        if named:
            key = _STRING.match(raw, pos)
            if key is None:
                return
            hit = key[0] == plain or (b"\\" in key[0] and json.loads(key[0]) == wanted)
            pos = after_space(raw, after_space(raw, key.end()) + 1)
        stop = value_end(raw, pos)
        if stop is None:
            return
        yield hit, (first, pos, stop)
        pos, index = after_space(raw, stop), index + 1
        if raw[pos : pos + 1] == b",":
            pos = after_space(raw, pos + 1)


def _member(raw: bytes, start: int, step: str | int) -> Member | None:
    """The last one of that name, as loaders take it."""
    last = None
    for hit, member in _members(raw, start, step):
        if hit:
            last = member
            if isinstance(step, int):
                break
    return last


def _find(raw: bytes, path: Path) -> Member | None:
    start = after_space(raw, 0)
    end = value_end(raw, start)
    member = None if end is None else (start, start, end)
    for step in path:
        if member is None:
            return None
        member = _member(raw, member[1], step)
    return member


def span(raw: bytes, path: Path) -> tuple[int, int] | None:
    """Start and end of the value at `path`; of keys that repeat the last one counts."""
    member = _find(raw, path)
    return None if member is None else member[1:]


def member_span(raw: bytes, path: Path) -> tuple[int, int] | None:
    """The whole member or element with one comma beside it: without it the text is still JSON."""
    member = _find(raw, path)
    if member is None or not path:
        return None
    start, _, end = member
    following = after_space(raw, end)
    if raw[following : following + 1] == b",":
        return start, after_space(raw, following + 1)
    before = len(raw[:start].rstrip(b" \t\r\n")) - 1
    return (before, end) if raw[before : before + 1] == b"," else (start, end)
