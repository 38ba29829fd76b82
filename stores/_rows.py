"""Rows of one session on their way to the sink, as tuples of the columns that a store fills."""

from collections.abc import Sequence
from typing import Any

from suture.stores._sink import Sink


def add_rows(
    sink: Sink, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]], /, **same: Any
) -> None:
    """`same` is what all rows share. Far cheaper than a row of all columns for each record."""
    if rows:
        columns = zip(names, map(list, zip(*rows, strict=True)), strict=True)
        sink.add_columns(table, len(rows), {**same, **dict(columns)})
