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
    """Each column is a list, or Arrow already; None: it has no value in any row."""
    count = next(len(values) for values in columns.values() if values is not None)
    schema = arrow_schema(table)
    made = {}
    for name, values in columns.items() if count else ():
        if not isinstance(values, list):
            made[name] = values
        elif values[0] is None and values.count(None) == count:
            made[name] = None
        else:
            long = count >= _LONG
            made[name] = column(values, schema.field(name).type) if long else values
    sink.add_columns(table, count, {**same, **made})
