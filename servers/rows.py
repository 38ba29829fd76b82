"""Row edits on a server: each names the row as it was, and keeps what stood there."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from suture.model.edit import RowEdit, Value
from suture.model.errors import ApplyFailed, StaleStore
from suture.servers.server import Column, Server, Table

Key = Mapping[str, Value]
Row = dict[str, Value]


class Image(Struct, frozen=True):
    """One row before and after; None: it was not there."""

    table: str
    before: Row | None
    after: Row | None


def lock(server: Server, table: str, keys: Sequence[Mapping[str, Value]]) -> None:
    """Hold the rows until the end of the transaction."""
    for key in keys:
        terms = " and ".join(f"{server.quoted(name)} = %s" for name in key)
        server.ask(f"select 1 from {server.table(table)} where {terms} for update", [*key.values()])


def edit_row(server: Server, edit: RowEdit) -> Image:
    """Compare-and-set. Raises StaleStore when the row is not as the plan saw it."""
    table = _table(server, edit.table)
    if edit.before is None:
        assert edit.after is not None
        _insert(server, table, edit.after)
        return Image(edit.table, None, _found(server, table, edit.key))
    before = _found(server, table, edit.key)
    if before is None:
        raise _stale(server, edit.table)
    _swap(server, table, edit.key, edit.before, edit.after)
    after = None if edit.after is None else _found(server, table, _moved(edit))
    return Image(edit.table, before, after)


def _moved(edit: RowEdit) -> Mapping[str, Value]:
    return {name: (edit.after or {}).get(name, value) for name, value in edit.key.items()}


def swap_back(server: Server, image: Image) -> None:
    """The row as it was, if it is as it was left."""
    table = _table(server, image.table)
    if image.after is None:
        assert image.before is not None
        _insert(server, table, image.before)
    else:
        _swap(server, table, _key(table, image.after), image.after, image.before, whole=True)


def is_at(server: Server, image: Image, row: Mapping[str, Value] | None) -> bool:
    """Whether the row is the given one, or, given None, not there."""
    table = _table(server, image.table)
    if row is not None:
        return _found(server, table, _key(table, row)) == dict(row)
    other = image.before or image.after
    return other is not None and _found(server, table, _key(table, other)) is None


def _key(table: Table, row: Mapping[str, Value]) -> Mapping[str, Value]:
    return {name: row[name] for name in table.key or tuple(row)}


def _swap(
    server: Server,
    table: Table,
    key: Mapping[str, Value],
    before: Mapping[str, Value],
    after: Mapping[str, Value] | None,
    whole: bool = False,
) -> None:
    """`whole`: also what is the same, for columns that the database changes with their row."""
    where, values = _where(server, table, key, before)
    if after is None:
        found = server.run(f"delete from {server.table(table.name)} where {where}", values)
    else:
        changed = [name for name in after if name not in before or after[name] != before[name]]
        changed += [n for n in after if whole and n not in table.key and n not in changed]
        columns = [_column(table, name) for name in changed or key]
        sets = ", ".join(f"{server.quoted(column.name)} = %s" for column in columns)
        new = [server.bound(column, {**key, **after}[column.name]) for column in columns]
        sql = f"update {server.table(table.name)} set {sets} where {where}"
        found = server.run(sql, [*new, *values])
    if found != 1:
        raise _stale(server, table.name)


def _insert(server: Server, table: Table, row: Mapping[str, Value]) -> None:
    columns = [_column(table, name) for name in row]
    values = [server.bound(column, row[column.name]) for column in columns]
    if server.run(server.insert(table, list(row)), values) != 1:
        raise _stale(server, table.name)


def _found(server: Server, table: Table, key: Mapping[str, Value]) -> dict[str, Value] | None:
    where, values = _where(server, table, key, {})
    rows = server.rows(table, where, values)
    if len(rows) > 1:
        raise ApplyFailed(f"{server.path}: {table.name} has several rows of one key")
    names = [column.name for column in table.columns]
    return dict(zip(names, rows[0], strict=True)) if rows else None


def _where(
    server: Server, table: Table, key: Mapping[str, Value], image: Mapping[str, Value]
) -> tuple[str, list[Value]]:
    """By `=` for the sake of the index, and by the exact value."""
    terms: list[tuple[str, list[Value]]] = [
        (f"{server.quoted(name)} = %s", [server.bound(_column(table, name), value)])
        for name, value in key.items()
        if value is not None
    ]
    terms += [server.same(_column(table, name), value) for name, value in {**image, **key}.items()]
    return " and ".join(sql for sql, _ in terms), [v for _, values in terms for v in values]


def _table(server: Server, name: str) -> Table:
    if name not in server.tables:
        raise StaleStore(f"{server.path}: there is no table {name} any more; plan again")
    return server.tables[name]


def _column(table: Table, name: str) -> Column:
    column = table.column(name)
    if column is None:
        raise StaleStore(f"{table.name} has no column {name} any more; plan again")
    return column


def _stale(server: Server, table: str) -> StaleStore:
    return StaleStore(f"{server.path}: a row of {table} is not as the plan saw it; plan again")


def owners(
    edits: Sequence[RowEdit], tables: Mapping[str, tuple[str, ...]]
) -> Iterator[Mapping[str, Value]]:
    """The keys of the sessions that edits belong to, by the columns of the first table."""
    head = next(iter(tables.values()), ())
    seen: set[tuple[Value, ...]] = set()
    for edit in edits:
        own = tables.get(edit.table, ())
        row = {**(edit.after or {}), **(edit.before or {}), **edit.key}
        values = tuple(row.get(name) for name in own)
        if own and len(own) == len(head) and values not in seen:
            seen.add(values)
            yield dict(zip(head, values, strict=True))
