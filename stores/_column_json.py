"""JSON of a column that the fast reader refuses: what its clients make of it, and what is odd."""

import json
import re
from typing import NamedTuple

from suture.stores._encoding import is_utf8, with_replacements
from suture.stores._loaded import MOST_DIGITS
from suture.stores._shadow import CONSTANT, MOST_DEPTH, half_pairs, whole_pairs_only

NO_JSON = object()
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


class Odd(NamedTuple):
    kind: str  # name of the 1xx rule, with underscores
    detail: str

    @property
    def fixable(self) -> bool:
        """What no reader takes can go; the rest is the user's."""
        return self.kind == "bad_json"


def read_slowly(data: str | bytes, column: str) -> tuple[object, Odd]:
    """The value as Python, Go and JavaScript read it, NO_JSON where none of them does.

    What is nested beyond any use is left out of it, so that the ids around it are known.
    """
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    odd: Odd | None = None
    if not is_utf8(raw):
        raw, odd = with_replacements(raw), Odd("invalid_utf8", "holds bytes that are not UTF-8")
    if half_pairs(raw):
        raw = whole_pairs_only(raw)
        odd = odd or Odd("lone_surrogate", "holds half of a UTF-16 pair")
    try:
        value = _loads(raw)
    except RecursionError:
        odd = odd or Odd("too_deep", f"is nested more than {MOST_DEPTH} levels deep")
        value = _shallow(raw)
    except ValueError:
        value = NO_JSON
    if value is NO_JSON and (odd is None or odd.kind != "invalid_utf8"):
        odd = Odd("bad_json", "is not JSON")
    odd = odd or Odd("bad_number", _number(raw))
    return value, odd._replace(detail=f"{column} {odd.detail}")


def _loads(raw: bytes) -> object:
    return json.loads(raw.decode(), parse_int=_integer)


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _number(raw: bytes) -> str:
    if any(found[0][:1] != b'"' for found in CONSTANT.finditer(raw)):
        return "holds a number that JSON does not have"
    return "holds a number that readers cannot hold"


def _shallow(raw: bytes) -> object:
    """The value with nothing in what stands deeper than MOST_DEPTH."""
    parts: list[bytes] = []
    level, kept = 0, 0  # up to where the bytes are taken over or left out
    for found in _TOKEN.finditer(raw):
        token = found[0]
        if token in b"[{":
            level += 1
            if level == MOST_DEPTH:
                parts += (raw[kept : found.start()], b"[]" if token == b"[" else b"{}")
        elif token in b"]}":
            if level == MOST_DEPTH:
                kept = found.end()
            level -= 1
    parts.append(raw[kept:])
    try:
        return _loads(b"".join(parts))
    except (ValueError, RecursionError):
        return NO_JSON
