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
    """One millisecond on, to the millisecond."""
    later = datetime.fromisoformat(ts).astimezone(UTC) + timedelta(milliseconds=1)
    return f"{later:%Y-%m-%dT%H:%M:%S}.{later.microsecond // 1000:03d}Z"
