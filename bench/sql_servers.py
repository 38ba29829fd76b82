"""PostgreSQL and MariaDB with the rows of `sql_stores.py`, in folders that go afterwards."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "servers"))

import running

# Name of the store → its tables as tests/servers/tables declares them, sessions first.
TABLES = {
    "laxcode": ("laxcode", ("session", "raw_message", "context_window_message")),
    "google-adk": (
        "adk",
        ("adk_internal_metadata", "sessions", "app_states", "user_states", "events"),
    ),
}
_BATCH = 5_000


def missing(dialect: str) -> str | None:
    return running.missing(dialect)


@contextmanager
def filled(dialect: str, files: dict[str, Path]) -> Iterator[dict[str, str]]:
    """Each store of `files` in a database of its own: name → URL."""
    with running.started(dialect) as server:
        urls = {}
        for store, path in files.items():
            declared, tables = TABLES[store]
            base = server.database(declared)
            with (
                closing(sqlite3.connect(path)) as source,
                closing(base.open()) as target,
            ):
                for table in tables:
                    _copy(dialect, source, target, table)
            base.run("analyze" if dialect == "postgresql" else f"analyze table {tables[-1]}")
            urls[store] = base.url
        yield urls


def _copy(dialect: str, source: sqlite3.Connection, target: Any, table: str) -> None:
    info = source.execute(f"pragma table_info({table})").fetchall()
    names = [name for _, name, kind, *_ in info if (name, kind) != ("id", "integer")]
    mark = '"' if dialect == "postgresql" else "`"
    columns = ", ".join(f"{mark}{name}{mark}" for name in names)
    rows = source.execute(f"select {columns} from {table}".replace("`", '"'))
    with closing(target.cursor()) as cursor:
        if dialect == "postgresql":
            with cursor.copy(f"copy {table} ({columns}) from stdin") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        target.begin()
        insert = f"insert into {table} ({columns}) values ({', '.join(['%s'] * len(names))})"
        while batch := rows.fetchmany(_BATCH):
            cursor.executemany(insert, batch)
        target.commit()
