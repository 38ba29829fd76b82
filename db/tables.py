"""The canonical tables as DuckDB has them: made from model/rows.py, and written or lent.

A lent table is a view over rows that stay in Arrow. To write 90,000 rows of a column takes DuckDB
0.4 to 3.7 ms, 0.7 where none of them has a value; to read them where they lie takes no longer than
to read its own (measured on 2.0.1).
"""

from collections.abc import Collection
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from suture import schemas
from suture.db.pairing import Pair
from suture.model.rows import TABLES

_SQL = {int: "bigint", str: "varchar", bool: "boolean", bytes: "blob"}


@cache
def ddl() -> str:
    statements = []
    for table, row in {**TABLES, "pairing": Pair}.items():
        columns = ", ".join(f'"{n}" {_sql_type(h)}' for n, h in get_type_hints(row).items())
        statements.append(f'create table "{table}" ({columns});')
    return "\n".join(statements) + schemas.text("canonical.sql")


def view_of_lent(table: str, held: Collection[str]) -> str:
    """In the place of an empty table: `TABLE_lent`, which holds these columns."""
    columns = ", ".join(
        f'"{name}"' if name in held else f'null::{_sql_type(hint)} as "{name}"'
        for name, hint in get_type_hints(TABLES[table]).items()
    )
    return f'drop table "{table}"; create view "{table}" as select {columns} from {table}_lent'


def _sql_type(hint: Any) -> str:
    if isinstance(hint, UnionType):
        hint = next(arg for arg in get_args(hint) if arg is not type(None))
    if get_origin(hint) is list:
        return _sql_type(get_args(hint)[0]) + "[]"
    return _SQL[hint]
