"""Times of the tables: text in UTC or seconds as a number, by the service that wrote them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import NoneType

from suture.model.edit import Value
from suture.stores._times import each_microseconds, microseconds
from suture.stores.google_adk.tables import SERVICE

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def of_variant(value: Value, known: int | None, variant: str) -> bool:
    """Numbers sort before every text, so a time of the other kind changes the order. `known`: the
    time that it is."""
    if variant == SERVICE:
        return isinstance(value, int | float)
    return isinstance(value, str) and known is not None


def micros(value: Value) -> int | None:
    """Rounded: a number of seconds is not exact to the microsecond."""
    if isinstance(value, str):
        return microseconds(value)
    if isinstance(value, int | float) and abs(value) < 10**12:
        return round(value * 1_000_000)
    return microseconds(value)


def times(stored: Sequence[Value]) -> list[int | None]:
    """`micros` of each."""
    if set(map(type, stored)) <= {str, NoneType}:
        found: list[int | None] = each_microseconds(stored).to_pylist()
        return found
    return [micros(value) for value in stored]


def odd_times(stored: Sequence[Value], known: Sequence[int | None], variant: str) -> set[int]:
    """Those that are not of the variant, by their number."""
    usual = {int, float} if variant == SERVICE else {str}
    if None not in known and set(map(type, stored)) <= usual:
        return set()
    pairs = enumerate(zip(stored, known, strict=True))
    return {n for n, (value, time) in pairs if not of_variant(value, time, variant)}


def for_variant(moment: int, variant: str) -> Value:
    return moment / 1_000_000 if variant == SERVICE else shown(moment, " ")


def shown(moment: int, between: str = "T") -> str:
    when = _EPOCH + timedelta(microseconds=moment)
    return f"{when:%Y-%m-%d}{between}{when:%H:%M:%S}.{when.microsecond:06d}"
