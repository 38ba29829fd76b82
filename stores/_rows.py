"""Rows of one session on their way to the sink, as tuples of the columns that a store fills."""

from collections.abc import Mapping, Sequence
from typing import Any

from suture.stores._sink import Sink, arrow_schema, column

_LONG = 256  # rows from which columns are worth being Arrow at once: it holds a tenth of the bytes


def add_rows(
    sink: Sink, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]], /, **same: Any
) -> None:
    """`same` is what all rows share. Far cheaper than a row of all columns for each record."""
    if rows:
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        add_columns(sink, table, columns, **same)


def add_columns(sink: Sink, table: str, columns: Mapping[str, Any], /, **same: Any) -> None:
    """Each column is a list, or Arrow already."""
    count = len(next(iter(columns.values())))
    if count >= _LONG:
        schema = arrow_schema(table)
        columns = {
            name: column(values, schema.field(name).type) if isinstance(values, list) else values
            for name, values in columns.items()
        }
    sink.add_columns(table, count, {**same, **columns})
