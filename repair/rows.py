"""Row edits as statements: every change names the row as it was."""

import json
import sqlite3
from collections.abc import Iterable, Mapping

from suture.model.edit import RowEdit, Value
from suture.model.errors import StaleStore


def row_key(edit: RowEdit) -> str:
    """One text for a table and a primary key."""
    return f"{edit.table} {json.dumps(dict(edit.key), sort_keys=True, default=repr)}"


def fold(rows: dict[str, tuple[RowEdit, int]], edit: RowEdit, step: int) -> dict[int, int]:
    """Add an edit to the edits of a database; two of one row become one. Returns merged steps."""
    key = row_key(edit)
    if key not in rows:
        rows[key] = (edit, step)
        return {}
    first, owner = rows[key]
    rows[key] = (RowEdit(edit.path, edit.table, edit.key, first.before, edit.after), owner)
    return {} if owner == step else {step: owner}


def execute(connection: sqlite3.Connection, edits: Iterable[RowEdit]) -> None:
    """Compare-and-set of each row. Raises StaleStore when a row is not as the plan saw it."""
    for edit in edits:
        sql, values = statement(edit)
        if connection.execute(sql, values).rowcount != 1:
            raise StaleStore(f"{edit.path}: {row_key(edit)} is not as the plan saw it; plan again")


def statement(edit: RowEdit) -> tuple[str, list[Value]]:
    table = quoted(edit.table)
    if edit.before is None:
        assert edit.after is not None
        names = ", ".join(quoted(name) for name in edit.after)
        marks = ", ".join("?" for _ in edit.after)
        return f"insert into {table} ({names}) values ({marks})", list(edit.after.values())
    where, known = _same(edit.before)
    if edit.after is None:
        return f"delete from {table} where {where}", known
    changed = {k: v for k, v in edit.after.items() if edit.before.get(k) != v}
    sets = (
        ", ".join(f"{quoted(name)} = ?" for name in changed)
        or f"{quoted(next(iter(edit.key)))} = ?"
    )
    values = list(changed.values()) or [next(iter(edit.key.values()))]
    return f"update {table} set {sets} where {where}", values + known


def _same(row: Mapping[str, Value]) -> tuple[str, list[Value]]:
    return " and ".join(f"{quoted(name)} is ?" for name in row), list(row.values())


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
