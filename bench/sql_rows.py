"""What `check` costs on SQL stores: rows a second, and memory at a tenth of the rows and at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sql_servers
import sql_stores
from commands import check_store
from measure import Cost
from table import NOTHING, Table, megabytes, seconds

_MAPPING = Path(__file__).parents[1] / "sample_data" / "seqstore" / "seqstore.toml"
_SERVERS = {"postgresql": "PostgreSQL", "mysql": "MariaDB"}
_TENTH = 10


def sqlite_table(work: Path, rows: int, repeat: int) -> Table:
    table = Table(f"SQLite, {rows:,} rows", list(sql_stores.STORES))
    small = [_of_file(work, store, rows // _TENTH, repeat) for store in sql_stores.STORES]
    whole = [_of_file(work, store, rows, repeat) for store in sql_stores.STORES]
    _fill(table, rows, small, whole)
    return table


def server_table(work: Path, dialect: str, rows: int, repeat: int) -> Table:
    names = list(sql_servers.TABLES)
    table = Table(f"{_SERVERS[dialect]}, {rows:,} rows", names)
    if why := sql_servers.missing(dialect):
        table.add(why, [NOTHING] * len(names))
        return table
    small, whole = (_of_server(work, dialect, n, repeat) for n in (rows // _TENTH, rows))
    _fill(table, rows, small, whole)
    return table


def _fill(table: Table, rows: int, small: list[Cost], whole: list[Cost]) -> None:
    table.add("`check`, wall", [seconds(cost.wall) for cost in whole])
    table.add("`check`, CPU", [seconds(cost.cpu) for cost in whole])
    speed = [f"{rows / cost.wall:,.0f}" for cost in whole]
    table.add("rows a second, start included", speed, "≥ 100,000")
    table.add("rows a CPU second", [f"{rows / cost.cpu:,.0f}" for cost in whole])
    table.add("peak memory, largest process", [megabytes(cost.largest) for cost in whole])
    table.add("peak memory, all processes", [megabytes(cost.together) for cost in whole])
    less = [megabytes(cost.together) for cost in small]
    table.add("the same with a tenth of the rows", less, "flat")


def _of_file(work: Path, store: str, rows: int, repeat: int) -> Cost:
    more = ("--map", _MAPPING) if store == "seqstore" else ()
    return check_store((_file(work, store, rows), *more), work, repeat)


def _file(work: Path, store: str, rows: int) -> Path:
    path = work / f"{store}-{rows}.db"
    if not path.exists():
        sql_stores.make(store, path, rows, sql_stores.LENGTH)
    return path


def _of_server(work: Path, dialect: str, rows: int, repeat: int) -> list[Cost]:
    with _urls(work, dialect, rows) as urls:
        return [check_store((urls[store],), work, repeat) for store in sql_servers.TABLES]


@contextmanager
def _urls(work: Path, dialect: str, rows: int) -> Iterator[dict[str, str]]:
    files = {store: _file(work, store, rows) for store in sql_servers.TABLES}
    with sql_servers.filled(dialect, files) as urls:
        yield urls
