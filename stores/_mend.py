"""A record's bytes made decodable, with the places of all that was wrong in them."""

import re

from msgspec import Struct, field

from suture.stores._encoding import bad_bytes, is_utf8, with_replacements
from suture.stores._shadow import CONSTANT, STRING, half_pairs, whole_pairs_only

MOST_PLACES = 10_000
_CONTROL = re.compile(rb"[\x01-\x1f]")
_LINE_END = re.compile(rb"\n")
_COLON = re.compile(rb"\s*+:")
_SHORT = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r"}


class Mended(Struct, frozen=True):
    """Positions count from the start of the stored record."""

    raw: bytes
    not_utf8: list[int] = field(default_factory=list)  # of at most MOST_PLACES bytes
    halves: list[int] = field(default_factory=list)
    controls: list[int] = field(default_factory=list)  # in strings, line ends apart
    breaks: list[int] = field(default_factory=list)  # line ends in strings
    in_keys: list[int] = field(default_factory=list)  # line ends in keys, which hold none
    gaps: list[int] = field(default_factory=list)  # line ends between tokens
    constants: list[int] = field(default_factory=list)


def mend(stored: bytes) -> Mended:
    raw, not_utf8 = stored, list[int]()
    if not is_utf8(stored):
        not_utf8 = bad_bytes(stored, MOST_PLACES)
        raw = _replaced(stored, not_utf8)
    halves = half_pairs(stored)
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"")
    if halves:
        raw = whole_pairs_only(raw)
    controls, breaks, in_keys, gaps = _control_places(stored)
    if controls or breaks or in_keys:
        raw = STRING.sub(_without_controls, raw)
    constants = _constants(stored)
    if constants:
        raw = CONSTANT.sub(lambda text: text[0] if text[0][:1] == b'"' else b"null", raw)
    return Mended(raw, not_utf8, halves, controls, breaks, in_keys, gaps, constants)


def _replaced(stored: bytes, places: list[int]) -> bytes:
    if len(places) >= MOST_PLACES:  # hardly text: the rest is not worth a list
        return with_replacements(stored)
    parts: list[bytes | memoryview] = []
    view, pos = memoryview(stored), 0
    for place, fill in zip(places, replacements(stored, places), strict=True):
        parts += (view[pos:place], fill.encode())
        pos = place + 1
    parts.append(view[pos:])
    return b"".join(parts)


def replacements(stored: bytes, places: list[int]) -> list[str]:
    """What stands for each bad byte, so that the text is the one that readers make of it: one
    U+FFFD for a character that is cut short, one for each byte that belongs to none."""
    fills: list[str] = []
    start = 0  # where the run of bad bytes began
    for number, place in enumerate(places):
        if not number or places[number - 1] != place - 1:
            start = place
        start = max(start, place - 3)  # a character has four bytes
        upto = stored[start:place].decode("utf-8", "replace")
        fills.append(
            "\ufffd" * (len(stored[start : place + 1].decode("utf-8", "replace")) - len(upto))
        )
    return fills


def _without_controls(text: re.Match[bytes]) -> bytes:
    kept = text[0].replace(b"\n", b"") if _is_key(text) else text[0]
    return _CONTROL.sub(_escaped, kept)


def _is_key(text: re.Match[bytes]) -> bool:
    return _COLON.match(text.string, text.end()) is not None


def _escaped(control: re.Match[bytes]) -> bytes:
    return escape(control[0][0])


def escape(byte: int) -> bytes:
    return _SHORT.get(byte) or b"\\u%04x" % byte


def _control_places(stored: bytes) -> tuple[list[int], list[int], list[int], list[int]]:
    controls: list[int] = []
    breaks: list[int] = []
    in_keys: list[int] = []
    if not _CONTROL.search(stored):
        return controls, breaks, in_keys, []
    for text in STRING.finditer(stored):
        ends = in_keys if b"\n" in text[0] and _is_key(text) else breaks
        for control in _CONTROL.finditer(stored, text.start(), text.end()):
            (ends if control[0] == b"\n" else controls).append(control.start())
    inside = {*breaks, *in_keys}
    every = (found.start() for found in _LINE_END.finditer(stored))
    return controls, breaks, in_keys, [place for place in every if place not in inside]


def _constants(stored: bytes) -> list[int]:
    if b"NaN" not in stored and b"Infinity" not in stored:
        return []
    return [hit.start() for hit in CONSTANT.finditer(stored) if hit[0][:1] != b'"']
