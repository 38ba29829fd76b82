"""Times of a rollout in microseconds, and the time a moment later."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UTC = pa.timestamp("us", "UTC")


# times are read from tables: `2026-03-02T09:00:` + `07.` + `000Z`
_MINUTES: dict[str, int] = {}
_SECONDS = {f"{second:02d}.": second * 1_000_000 for second in range(60)}
_MILLIS = {f"{milli:03d}Z": milli * 1000 for milli in range(1000)}
_MOST = 10_000  # minutes kept


def micros(stamp: str | None) -> int | None:
    """UTC microseconds of a stored time; None when it is not one."""
    if stamp is None:
        return None
    try:
        return _MINUTES[stamp[:17]] + _SECONDS[stamp[17:20]] + _MILLIS[stamp[20:]]
    except KeyError:
        pass
    try:
        if len(stamp) == 24 and stamp[17:20] in _SECONDS and stamp[20:] in _MILLIS:
            if len(_MINUTES) > _MOST:
                _MINUTES.clear()
            _MINUTES[stamp[:17]] = (
                datetime.fromisoformat(stamp[:17] + "00+00:00") - _EPOCH
            ) // _MICROSECOND
        moment = datetime.fromisoformat(stamp)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        return None


def many_micros(stamps: list[str | None]) -> pa.Array:
    """The same for a column: Arrow reads all the usual forms at once."""
    try:
        times = pa.array(stamps, pa.string()).cast(_UTC)
    except (pa.ArrowInvalid, UnicodeEncodeError):
        return pa.array(list(map(micros, stamps)), pa.int64())
    return times.cast(pa.int64())


def stamp(time: int) -> str:
    """As Codex writes it: milliseconds and Z."""
    moment = _EPOCH + timedelta(microseconds=time)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
