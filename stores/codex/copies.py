"""Records that stand in a file again."""

import re

_ORDINAL = re.compile(rb'"ordinal":[0-9]+')


def repeated(old: bytes, new: bytes, ordinal: int | None) -> str | None:
    """How two records of one time, type and size repeat each other."""
    if old == new:
        return "identical"
    if ordinal is not None and _ORDINAL.sub(b"", old, 1) == _ORDINAL.sub(b"", new, 1):
        return "event"
    return None


def same_item(old: bytes, new: bytes) -> bool:
    """Times and ordinals aside: an item that was written again keeps its id and its payload."""
    return _payload(old) == _payload(new)


def _payload(raw: bytes) -> bytes:
    return raw[raw.find(b'"payload"') :].partition(b',"metadata":{"history_sequence"')[0]
