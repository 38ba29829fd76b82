"""Times of a rollout in microseconds, and the time a moment later."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(stamp: str | None) -> int | None:
    """UTC microseconds of a stored time; None when it is not one."""
    if stamp is None:
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        since = moment - _EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    except (ValueError, OverflowError):
        return None


def stamp(time: int) -> str:
    """As Codex writes it: milliseconds and Z."""
    moment = _EPOCH + timedelta(microseconds=time)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
