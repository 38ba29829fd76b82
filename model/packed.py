"""The bytes of a `.zst` as offsets count them: its frames decoded, then plain lines behind them."""

import sys
from collections.abc import Iterator
from typing import BinaryIO

# in the standard library from Python 3.14 on, before that its backport
if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["decoded", "zstd"]

_CHUNK = 1 << 20


def decoded(packed: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Pieces, and whether they are plain lines. Raises ZstdError, and EOFError for a cut frame."""
    decoder = zstd.ZstdDecompressor()
    while True:
        stored = b""
        if decoder.eof:
            stored = decoder.unused_data or packed.read(_CHUNK)
            if not stored:
                return
            if stored.lstrip()[:1] == b"{":
                while stored:
                    yield stored, True
                    stored = packed.read(_CHUNK)
                return
            decoder = zstd.ZstdDecompressor()
        elif decoder.needs_input:
            stored = packed.read(_CHUNK)
            if not stored:
                raise EOFError("the compressed file ends in the middle of a frame")
        yield decoder.decompress(stored, _CHUNK), False
