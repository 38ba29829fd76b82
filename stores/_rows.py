"""Rows of one session on their way to the sink, as tuples of the columns that a store fills."""

from collections.abc import Sequence
from typing import Any

from suture.stores._sink import Sink, arrow_schema, column

_LONG = 256  # rows from which columns are worth being Arrow at once: it holds a tenth of the bytes


def add_rows(
    sink: Sink, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]], /, **same: Any
) -> None:
    """`same` is what all rows share. Far cheaper than a row of all columns for each record."""
    if not rows:
        return
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    if len(rows) < _LONG:
        sink.add_columns(table, len(rows), {**same, **columns})
        return
    schema = arrow_schema(table)
    arrays = {name: column(values, schema.field(name).type) for name, values in columns.items()}
    sink.add_columns(table, len(rows), {**same, **arrays})
