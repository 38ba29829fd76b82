"""The types and kinds of records as columns: a byte a record, which Arrow makes texts of."""

from collections.abc import Mapping
from functools import cache

import pyarrow as pa

from suture.stores._arrow import cast
from suture.stores._columns import encoded
from suture.stores._sink import column
from suture.stores.codex.vocabulary import TYPES


@cache
def _texts() -> tuple[pa.Array, pa.Array]:
    types, kinds = zip(*TYPES, strict=True)
    return pa.array(types), pa.array(kinds)


def type_columns(codes: bytearray, first: int, unknown: Mapping[int, str]) -> dict[str, pa.Array]:
    """Of the records from `first` on; `unknown`: the types that have no code, by n."""
    types, kinds = _texts()
    stored = pa.Array.from_buffers(pa.uint8(), len(codes), [None, pa.py_buffer(codes)])
    places = cast(stored, pa.int32())
    columns = {"kind": pa.DictionaryArray.from_arrays(places, kinds)}
    if unknown and 0 in codes:
        named = [unknown.get(n) or TYPES[code][0] for n, code in enumerate(codes, first)]
        columns["type"] = encoded(column(named, pa.string()))
    else:
        columns["type"] = pa.DictionaryArray.from_arrays(places, types)
    return columns
