"""The types and kinds of records as columns: a byte a record, which Arrow makes texts of."""

from collections.abc import Mapping

from suture.stores._columns import Values
from suture.stores._sink import Coded
from suture.stores.codex.vocabulary import TYPES

_TYPES, _KINDS = zip(*TYPES, strict=True)


def type_columns(codes: bytearray, first: int, unknown: Mapping[int, str]) -> dict[str, Values]:
    """Of the records from `first` on; `unknown`: the types that have no code, by n."""
    types: Values = Coded(codes, _TYPES)
    if unknown and 0 in codes:
        types = [unknown.get(n) or _TYPES[code] for n, code in enumerate(codes, first)]
    return {"kind": Coded(codes, _KINDS), "type": types}
