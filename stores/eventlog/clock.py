"""Times of the log: RFC 3339 text in UTC."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(ts: str | None) -> int | None:
    if ts is None:
        return None
    try:
        return (datetime.fromisoformat(ts) - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError, OverflowError):
        return None


def a_moment_later(ts: str) -> str:
    """One millisecond on, to the millisecond. What no calendar holds is followed by itself."""
    leap = ts[17:19] == "60"
    try:
        time = datetime.fromisoformat(f"{ts[:17]}59{ts[19:]}" if leap else ts)
        later = time.astimezone(UTC) + timedelta(seconds=leap, milliseconds=1)
    except (ValueError, OverflowError):
        return ts
    return f"{later:%Y-%m-%dT%H:%M:%S}.{later.microsecond // 1000:03d}Z"
