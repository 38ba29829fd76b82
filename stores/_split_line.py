"""Which whole records stand on one line, and what junk lies between them."""

import re

import msgspec
from msgspec import Struct, field

from suture.stores._json_span import after_space, innermost, value_end

_VALID = msgspec.json.Decoder(msgspec.Raw)  # checks the text, builds nothing
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_KNOWN_START = re.compile(
    rb'\{\s*"(?:parentUuid|type|uuid|timestamp|id|sessionId|ordinal|messageId|leafUuid)"\s*:'
)
_ANY_START = re.compile(rb'\{\s*"')
_RECORD_KEYS = (  # what tells a record from an object nested in one
    {"parentUuid", "uuid"},
    {"sessionId", "uuid"},
    {"sessionId", "type"},
    {"timestamp", "type", "payload"},
    {"id", "ordinal", "payload"},
    {"messageId", "snapshot"},
    {"leafUuid", "type"},
)
_TRIES = 4096
Range = tuple[int, int]


class _Budget(Struct):
    """Bytes that may still be looked at: a line is never searched in more than linear time."""

    left: int
    tries: int = _TRIES


class Split(Struct, frozen=True):
    records: list[Range] = field(default_factory=list)
    junk: list[Range] = field(default_factory=list)


def is_json(raw: bytes | memoryview) -> bool:
    try:
        _VALID.decode(raw)
    except RecursionError:  # its brackets were counted, deeper than the decoder goes
        return True
    except ValueError:
        return False
    return True


def split(shadow: bytes) -> Split:
    found = Split()
    pos, end = after_space(shadow, 0), len(shadow.rstrip())
    while pos < end:
        stop = _object_end(shadow, pos, end)
        if stop is not None:
            found.records.append((pos, stop))
            pos = after_space(shadow, stop, end)
            continue
        start = _next_record(shadow, pos, end, bool(found.records))
        found.junk.append((pos, end if start is None else start))
        pos = end if start is None else start
    return found


def _object_end(shadow: bytes, pos: int, end: int) -> int | None:
    if shadow[pos : pos + 1] != b"{":
        return None
    stop = value_end(shadow, pos, end)
    return stop if stop and is_json(memoryview(shadow)[pos:stop]) else None


def _next_record(shadow: bytes, junk: int, end: int, after_record: bool) -> int | None:
    """The first place after `junk` where a record stands.

    It is a whole object that looks like one, or from which whole objects reach the line's end.
    """
    for pattern in (_KNOWN_START, _ANY_START):
        budget = _Budget(8 * (end - junk) + 4096)
        start = _search(pattern, shadow, (junk, end), after_record, budget)
        if start is not None:
            return start
    return None


def _search(
    pattern: re.Pattern[bytes], shadow: bytes, room: Range, after_record: bool, budget: _Budget
) -> int | None:
    junk, end = room
    pos = junk + 1
    while budget.left > 0 and budget.tries and (hit := pattern.search(shadow, pos, end)):
        budget.tries -= 1
        start = hit.start()
        stop = value_end(shadow, start, end)
        budget.left -= (stop or end) - start
        if stop is None or not is_json(memoryview(shadow)[start:stop]):
            pos = start + 1
            continue
        nested = _may_be_nested(shadow, junk, start, after_record)
        reaches = _reaches_end(shadow, stop, end, budget)
        if nested and reaches:
            nested = not _wants_key(shadow[junk:start])
        alike = nested is reaches and _is_record(memoryview(shadow)[start:stop])
        if alike or (reaches and not nested):
            return start
        pos = stop  # valid as a whole: no record was pasted into it
    return None


def _reaches_end(shadow: bytes, pos: int, end: int, budget: _Budget) -> bool:
    first = pos
    while (pos := after_space(shadow, pos, end)) < end:
        stop = _object_end(shadow, pos, end)
        if stop is None:
            budget.left -= pos - first
            return False
        pos = stop
    return True


def _may_be_nested(shadow: bytes, junk: int, start: int, after_record: bool) -> bool:
    """A record cut off right after an inner object ends like a stub and a record."""
    before = start - 1
    while before >= junk and shadow[before] in b" \t":
        before -= 1
    if after_record and not shadow[junk:start].strip(b" ,;"):
        return False
    return before >= junk and shadow[before] in b":,["


def _wants_key(stub: bytes) -> bool:
    """No object can follow a comma in an object."""
    return stub.rstrip()[-1:] == b"," and innermost(stub) == b"{"


def _is_record(raw: memoryview) -> bool:
    try:
        keys = _MEMBERS.decode(raw).keys()
    except (ValueError, RecursionError):
        return False
    return any(wanted <= keys for wanted in _RECORD_KEYS)
