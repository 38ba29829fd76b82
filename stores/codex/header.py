"""What a header must say: Codex reads no rollout whose first one does not parse (measured on 0.150
and 0.171)."""

import re
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Raw, Struct

from suture.stores.codex.lines import NOTHING, starts_with

Key = tuple[str, ...]  # of the payload, or of the line itself
_UUID = re.compile(rb'"[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}"')
_TEXT, _OBJECT = b'"', b"{"
MODE: Key = ("payload", "history_mode")
MODES = (b'"legacy"', b'"paginated"')
UNKNOWN_MODE = "no mode that is known"


class _Meta(Struct):
    id: Raw = NOTHING
    timestamp: Raw = NOTHING
    cwd: Raw = NOTHING
    originator: Raw = NOTHING
    cli_version: Raw = NOTHING
    session_id: Raw = NOTHING
    source: Raw = NOTHING
    history_mode: Raw = NOTHING
    model_provider: Raw = NOTHING


class _Line(Struct):
    timestamp: Raw = NOTHING
    type: Raw = NOTHING
    payload: _Meta | None = None


_decode = msgspec.json.Decoder(_Line).decode
_ASKED = ("timestamp", "cwd", "originator", "cli_version")
_IF_THERE = ("source", "history_mode", "model_provider")


def gaps(raw: bytes) -> Mapping[Key, str]:
    """Where what a client needs is not, and what is there. The id has a rule of its own."""
    try:
        line = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return dict(_gaps(line))


def is_read(data: memoryview) -> bool:
    """Whether a rollout begins with a header that a client can read. Blank lines may stand before
    it, and nothing else."""
    start = 0
    while start < len(data):
        line = _line(data, start)
        if line.strip():
            return _is_sound(line)
        start += len(line) + 1
    return False


def _line(data: memoryview, start: int) -> bytes:
    """Most lines are short, some have megabytes."""
    size = 1 << 15
    while True:
        found, end, _ = bytes(data[start : start + size]).partition(b"\n")
        if end or start + size >= len(data):
            return found
        size *= 8


def _is_sound(raw: bytes) -> bool:
    try:
        line = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    if bytes(line.type) != b'"session_meta"' or line.payload is None:
        return False
    return bool(line.payload.id) and not dict(_gaps(line))


def _gaps(line: _Line) -> Iterator[tuple[Key, str]]:
    if not starts_with(line.timestamp, _TEXT):
        yield ("timestamp",), _what(line.timestamp)
    meta = line.payload
    if meta is None:
        return
    for key in _ASKED:
        value = getattr(meta, key)
        if not starts_with(value, _TEXT):
            yield ("payload", key), _what(value)
    if meta.session_id and _UUID.fullmatch(meta.session_id) is None:
        yield ("payload", "session_id"), _what(meta.session_id)
    if starts_with(meta.history_mode, _TEXT) and bytes(meta.history_mode) not in MODES:
        yield MODE, f"{bytes(meta.history_mode).decode()[:40]}, {UNKNOWN_MODE}"
    for key in _IF_THERE:
        value = getattr(meta, key)
        if value and not starts_with(value, _TEXT) and not _may_be(key, value):
            yield ("payload", key), _what(value)


def _may_be(key: str, value: Raw) -> bool:
    """Some sources are objects, and a thread need not name its provider."""
    if key == "source":
        return starts_with(value, _OBJECT)
    return key == "model_provider" and bytes(value) == b"null"


def _what(value: Raw) -> str:
    if not value:
        return "missing"
    if bytes(value) == b"null":
        return "null"
    return "no id" if starts_with(value, _TEXT) else "no text"
