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
        if edit.before is None and edit.after is None:
            continue  # made in one round and taken back in a later one
        sql, values = statement(edit)
        try:
            changed = connection.execute(sql, values).rowcount
        except sqlite3.IntegrityError as error:
            raise StaleStore(f"{edit.path}: {row_key(edit)}: {error}; plan again") from error
        if changed != 1:
            raise StaleStore(f"{edit.path}: {row_key(edit)} is not as the plan saw it; plan again")


def statement(edit: RowEdit) -> tuple[str, list[Value]]:
    table = quoted(edit.table)
    if edit.before is None:
        assert edit.after is not None
        terms = [bound(value) for value in edit.after.values()]
        names, marks = ", ".join(map(quoted, edit.after)), ", ".join(sql for sql, _ in terms)
        return f"insert into {table} ({names}) values ({marks})", [value for _, value in terms]
    where, known = matching({**edit.key, **edit.before})
    if edit.after is None:
        return f"delete from {table} where {where}", known
    before = edit.before
    changed = {k: v for k, v in edit.after.items() if not (k in before and _same(v, before[k]))}
    changed = changed or dict(edit.key)
    marked = [(name, *bound(value)) for name, value in changed.items()]
    sets = ", ".join(f"{quoted(name)} = {sql}" for name, sql, _ in marked)
    return f"update {table} set {sets} where {where}", [v for _, _, v in marked] + known


def _same(one: Value, two: Value) -> bool:
    return type(one) is type(two) and one == two


def matching(row: Mapping[str, Value]) -> tuple[str, list[Value]]:
    """A condition that holds for exactly these values, NULL too."""
    terms = [(name, *bound(value)) for name, value in row.items()]
    where = " and ".join(f"{quoted(name)} is {sql}" for name, sql, _ in terms)
    return where, [value for _, _, value in terms]


def bound(value: Value) -> tuple[str, Value]:
    """A value and the SQL that takes it; text that is not UTF-8 goes in as its bytes."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return "cast(? as text)", value.encode("utf-8", "surrogateescape")
    return "?", value


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
