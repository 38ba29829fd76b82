"""What the bytes of an image say: whether a provider can decode it, and its size in pixels."""

import re
from base64 import b64decode

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_HEAD = 1 << 16  # characters: the size of a JPEG may stand behind a thumbnail
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # markers of a JPEG that state a size
_DATA_URL = re.compile(rb"data:([^;,]*)((?:;[^;,]*)*),")


def data_url(url: bytes) -> tuple[str, bytes] | None:
    """Media type and base64 text; None for a link to elsewhere."""
    found = _DATA_URL.match(url)
    if found is None or b";base64" not in found[2]:
        return None
    return found[1].decode("utf-8", "replace"), url[found.end() :]


def examine(stated: str | None, base64: bytes) -> tuple[str | None, int | None]:
    """Why it cannot be decoded, and its longest side in pixels where that is known."""
    text = base64.replace(b"\\/", b"/").replace(b"\\n", b"").replace(b"\\r", b"")
    if not text:
        return "the image is empty", None
    body = text.rstrip(b"=")
    if body.translate(None, _ALPHABET) or len(text) - len(body) > 2:
        return "the image is no base64", None
    if len(text) % 4:
        return "the base64 of the image is cut off", None
    kind, side = _size(b64decode(text[:_HEAD]))
    if kind is None:
        return "it is no image of a known format", None
    if stated is not None and stated.replace("/jpg", "/jpeg") != kind:
        return f"the image says {stated[:40] or 'nothing'} and is {kind}", side
    return None, side


def _size(head: bytes) -> tuple[str | None, int | None]:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        sides = (head[16:20], head[20:24])
        return "image/png", max(int.from_bytes(side) for side in sides) or None
    if head.startswith((b"GIF87a", b"GIF89a")):
        sides = (head[6:8], head[8:10])
        return "image/gif", max(int.from_bytes(side, "little") for side in sides) or None
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg", _jpeg(head)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp", _webp(head)
    return None, None


def _jpeg(head: bytes) -> int | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        if head[at + 1] in _FRAMES:
            return max(int.from_bytes(head[at + 5 : at + 7]), int.from_bytes(head[at + 7 : at + 9]))
        at += 2 + int.from_bytes(head[at + 2 : at + 4])
    return None


def _webp(head: bytes) -> int | None:
    if head[12:16] == b"VP8X":
        return 1 + max(int.from_bytes(head[at : at + 3], "little") for at in (24, 27))
    if head[12:16] == b"VP8 " and len(head) >= 30:
        return max(int.from_bytes(head[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    if head[12:16] == b"VP8L" and len(head) >= 25:
        packed = int.from_bytes(head[21:25], "little")
        return 1 + max(packed & 0x3FFF, packed >> 14 & 0x3FFF)
    return None
