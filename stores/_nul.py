"""U+0000 in texts, which no provider takes: one search tells that a stretch of lines holds none."""

import re
from collections.abc import Sequence

NUL = b"\\u0000"
NUL_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*(\\u0000)")


def suspects(first: int, raws: Sequence[bytes], text: bytes) -> frozenset[int]:
    """Which records may hold one; `first` is the n of the first line, `text` all of them."""
    # from the end: that search takes half the time of the one from the start
    numbered = enumerate(raws, first) if text.rfind(NUL) >= 0 else ()
    return frozenset(n for n, raw in numbered if raw.rfind(NUL) >= 0)


def suspect(n: int, raw: bytes | memoryview) -> frozenset[int]:
    """The same of one line. One of 64 MB and more, which is no bytes, is always looked at."""
    found = isinstance(raw, memoryview) or raw.find(NUL) >= 0
    return frozenset((n,) if found else ())
