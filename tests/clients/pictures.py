"""Pictures of a wanted size."""

import base64
import random
import struct
import zlib


def png(size: int) -> str:
    """Grey noise that is a valid picture of about that many bytes."""
    width, height = 1000, size // 1001
    noise = random.Random(1).randbytes(width * height)
    rows = b"".join(b"\0" + noise[n * width : (n + 1) * width] for n in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, chunks))).decode()


def _chunk(chunk: tuple[bytes, bytes]) -> bytes:
    name, data = chunk
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
