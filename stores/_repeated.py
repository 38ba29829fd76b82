"""What stands more than once in a long column, without a table of all that stands in it."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeVar

import pyarrow as pa

from suture.stores._arrow import call_function, cast, is_in

T = TypeVar("T", bound=Hashable)
_PART = 1 << 17  # numbers that are compared with each other: a table of these takes some MB
_MOST = 128  # parts


def repeated(numbers: pa.Array) -> list[int]:
    """Places of the numbers that stand at another place, too. They are hashes: their last bits
    cut them into parts of one size that have nothing in common."""
    found: list[int] = []
    for part in _parts(numbers):
        if len(call_function("unique", [part])) < len(part):
            counts = call_function("value_counts", [part])
            many = call_function("greater", [counts.field("counts"), pa.scalar(1, pa.int64())])
            found += call_function("filter", [counts.field("values"), many]).to_pylist()
    if not found:
        return []
    among = is_in(numbers, pa.array(found, pa.int64()))
    places: list[int] = call_function("indices_nonzero", [among]).to_pylist()
    return places


def twice(values: Sequence[T]) -> set[T]:
    """Which values of a short list stand in it more than once."""
    if len(set(values)) == len(values):
        return set()
    return {value for value, count in Counter(values).items() if count > 1}


def _parts(numbers: pa.Array) -> Iterator[pa.Array]:
    parts = min(1 << (len(numbers) // _PART).bit_length(), _MOST)
    if parts == 1:
        yield call_function("drop_null", [numbers])
        return
    mask = pa.scalar(parts - 1, pa.int64())
    last = cast(call_function("bit_wise_and", [numbers, mask]), pa.uint8())
    for part in range(parts):
        mine = call_function("equal", [last, pa.scalar(part, pa.uint8())])
        yield call_function("filter", [numbers, mine])
