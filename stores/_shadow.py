"""A line's shadow: of the same length, damage blanked, so that structure shows at true offsets."""

import re
from itertools import accumulate

BOM = b"\xef\xbb\xbf"
MOST_DEPTH = 512

# A string that is never closed is consumed to its end, else each escaped quote would start anew.
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
CONSTANT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+|-?Infinity|NaN', re.DOTALL)
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)

_BLANKED = bytes(32 if byte < 32 else 63 if byte > 127 else byte for byte in range(256))
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEP = bytes(1 if byte in b"[{" else 255 for byte in range(256))  # 255 is -1 as a signed byte


def shadow_of(raw: bytes, first: bool = False) -> bytes:
    """Control and NUL bytes as spaces, bytes above ASCII as `?`, half pairs and NaN replaced.

    `first`: the line starts the file, where a byte order mark may stand.
    Bytes above ASCII have no place outside a string, so `?` keeps a line as valid as it was.
    """
    shadow = raw.translate(_BLANKED)
    if first and raw.startswith(BOM):
        shadow = b"   " + shadow[3:]
    if _HALF.search(shadow):
        shadow = _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], shadow)
    if b"NaN" in shadow or b"Infinity" in shadow:
        shadow = CONSTANT.sub(_zero, shadow)
    return shadow


def _zero(found: re.Match[bytes]) -> bytes:
    text = found[0]
    return text if text[:1] == b'"' else b"0".ljust(len(text))


def half_pairs(raw: bytes) -> list[int]:
    """Positions of `\\uD8xx` and `\\uDCxx` escapes that have no other half."""
    if not _HALF.search(raw):
        return []
    return [found.start() for found in _ESCAPE.finditer(raw) if found[1]]


def whole_pairs_only(raw: bytes) -> bytes:
    return _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], raw)


def depth(raw: bytes) -> int:
    """The deepest nesting. Strings are taken out by splitting at quotes: all of it runs in C."""
    if raw.count(b"[") + raw.count(b"{") <= MOST_DEPTH:
        return 0  # no need to know better
    if b"\\" in raw:
        raw = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    brackets = b"".join(raw.split(b'"')[::2]).translate(None, _NOT_BRACKETS)
    return max(accumulate(memoryview(brackets.translate(_STEP)).cast("b")), default=0)
