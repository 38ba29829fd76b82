"""The event log: one JSON object a line, with ordinals, payload hashes and a chain."""

from collections.abc import Sequence

import msgspec

from suture.model.files import Files, Writer
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores._store import Head
from suture.stores.eventlog.lines import Line
from suture.stores.eventlog.payloads import TYPES

_LOOK_AT = 50  # lines
_KEYS = (b'"ordinal"', b'"payload"', b'"type"')
_line = msgspec.json.Decoder(Line).decode


def claims(head: Head) -> bool:
    """A whole event of a known type, or, where every line is damaged, what is left of one."""
    lines = head.data.split(b"\n")[:_LOOK_AT]
    if any(_is_event(line) for line in lines):
        return True
    known = any(f'"{name}"'.encode() in head.data for name in TYPES)
    return known and all(key in head.data for key in _KEYS)


def _is_event(line: bytes) -> bool:
    try:
        return _line(line).type in TYPES
    except (ValueError, RecursionError):
        return False


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return [Unit(0, "eventlog", (path,)) for path in paths]


def writers(unit: Unit) -> list[Writer]:
    return open_writers(unit.paths[0])
