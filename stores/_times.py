"""Times in the column's own format: text with or without fraction and zone, or a number."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from suture.model.edit import Value
from suture.stores._arrow import cast

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UTC = pa.timestamp("us", "UTC")
_NAIVE = pa.timestamp("us")
_FIRST = "0001"  # Arrow takes a year 0, too
_NAIVE_EPOCH = datetime(1970, 1, 1)
_TEXT = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d+))?(.*)", re.DOTALL)
# a number's size tells its unit: seconds until the year 5138, then ms, µs, ns
_UNITS = ((10**11, 1_000_000), (10**14, 1_000), (10**17, 1))


def microseconds(value: Value) -> int | None:
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        since = moment - (_EPOCH if moment.tzinfo else _NAIVE_EPOCH)
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if isinstance(value, int | float) and abs(value) < 10**20:  # not NaN
        for below, factor in _UNITS:
            if abs(value) < below:
                return int(value * factor)
        return int(value) // 1_000
    return None


def each_microseconds(values: Sequence[Value]) -> pa.Array:
    """What `microseconds` says of each: at once where all are texts of one form."""
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) + values.count(None) == len(values) and min(texts, default=_FIRST) >= _FIRST:
        for kind in (_NAIVE, _UTC):
            try:
                return cast(pa.array(values, pa.string()), kind).view(pa.int64())
            except (pa.ArrowInvalid, UnicodeEncodeError):
                pass
    return pa.array([microseconds(value) for value in values], pa.int64())


def many_microseconds(stamps: list[str | None], one: Callable[[str], int | None]) -> pa.Array:
    """A column at once. Arrow reads ISO 8601 with a zone; where anything else is among it, `one`
    says what each of them is."""
    try:
        return cast(pa.array(stamps, pa.string()), _UTC).view(pa.int64())
    except (pa.ArrowInvalid, UnicodeEncodeError):
        found = [None if stamp is None else one(stamp) for stamp in stamps]
        return pa.array(found, pa.int64())


def numbers(column: pa.Array) -> "memoryview[int] | list[int | None]":
    """Those of a column of int64. An object of Arrow for each would cost ten times as much."""
    found: list[int | None]
    if column.null_count or column.offset:
        found = column.to_pylist()
        return found
    return memoryview(column.buffers()[1]).cast("b").cast("q")[: len(column)]


def zoned(stamp: str) -> int | None:
    """None for a time without a zone, too: which moment it means is not known."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return (moment - _EPOCH) // _MICROSECOND if moment.tzinfo else None


def a_moment_later(value: Value) -> Value:
    """One millisecond on; the value itself where its format is not known."""
    if isinstance(value, str) and (found := _TEXT.fullmatch(value)):
        day, fraction, zone = found.groups()
        digits = max(len(fraction or ""), 3)
        try:
            moment = datetime.fromisoformat(f"{day}.{(fraction or '').ljust(6, '0')[:6]}")
            later = moment + timedelta(milliseconds=1)
        except (ValueError, OverflowError):  # no day of any year, or the last of them
            return value
        tail = (fraction or "")[6:]  # Go writes nanoseconds
        shown = f"{later.microsecond:06d}{tail}"[:digits].ljust(digits, "0")
        return f"{later:%Y-%m-%d}{day[10]}{later:%H:%M:%S}.{shown}{zone}"
    if isinstance(value, int) and value >= 10**11:
        factor = next((f for below, f in _UNITS if value < below), 0)
        return value + (1_000 // factor if factor else 1_000_000)
    if isinstance(value, float):
        return value + 0.001
    return value
