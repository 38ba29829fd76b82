"""A large database on a server is copied by several processes, each its share of the sessions."""

import random
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import running
import sql_servers
import sql_stores
from msgspec.structs import replace
from running import Base, Running

from suture import api, ranges
from suture.model.errors import BadMapping, NothingToRead
from suture.model.report import Report
from suture.model.scope import Scope
from suture.stores import _on_server

pytestmark = [
    pytest.mark.servers,
    # MariaDB shows no two connections the same moment
    pytest.mark.parametrize("server", ["postgresql"], indirect=True, scope="session"),
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process copies all"),
]
NOW = 1_800_000_000_000_000
Filled = Callable[[Running, str], Base]


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    """About forty sessions, every thirtieth row lost."""

    def fill(server: Running, store: str) -> Base:
        path = tmp_path / "made.db"
        sql_stores.make(store, path, 2_000, 60)
        draw = random.Random(7)
        name, tables = sql_servers.TABLES[store]
        base = server.database(name)
        with closing(sqlite3.connect(path)) as source, closing(base.open()) as target:
            for table in tables[1:]:  # rows that others hang on stay
                for (row,) in source.execute(f"select rowid from {table}").fetchall():
                    if table not in ("sessions", "session") and draw.random() < 1 / 30:
                        source.execute(f"delete from {table} where rowid = ?", (row,))
            for table in tables:
                sql_servers._copy(server.dialect, source, target, table)
        return base

    return fill


def check(base: Base, jobs: int) -> Report:
    found = api.check(Scope((base.url,), jobs=jobs, now=NOW, assume="dead"))
    return replace(found, sources=(), summary={**found.summary, "bytes": 0})


@pytest.mark.parametrize("store", sql_servers.TABLES)
def test_the_report_is_that_of_one_copy(
    server: Running, filled: Filled, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = filled(server, store)
    whole = check(base, 1)
    monkeypatch.setattr(_on_server, "_FROM", 1)
    monkeypatch.setattr(ranges, "_ROWS", 1)
    monkeypatch.setattr(_on_server._Shared, "whole", lambda *_: pytest.fail("copied as a whole"))
    assert len(whole.sessions) > 20
    assert len(whole.findings) > 20
    assert check(base, 3) == whole


def test_a_mapping_that_names_no_column_of_the_sessions_is_told_as_of_one_copy(
    server: Running, filled: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = filled(server, "laxcode")
    mapping = tmp_path / "own.toml"
    mapping.write_text(
        '[message]\ntable = "raw_message"\nsession = "nowhere"\nordinal = "seq"\n'
        'payload = "content"\nrole = "role"\n[message.kinds]\nprompt = "user"\n'
    )
    monkeypatch.setattr(_on_server, "_FROM", 1)
    for jobs in (1, 2):
        with pytest.raises(BadMapping, match="raw_message has no column 'nowhere'"):
            api.check(Scope((base.url,), jobs=jobs, now=NOW, map_file=str(mapping)))


def test_what_is_written_meanwhile_is_not_seen(
    server: Running, filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = filled(server, "laxcode")
    whole = check(base, 1)
    monkeypatch.setattr(_on_server, "_FROM", 1)
    share = _on_server._Shared.share

    def late(*given: object) -> Path:
        base.run("update raw_message set role = 'nobody'")
        return share(*given)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(_on_server._Shared, "share", late)
    assert check(base, 2) == whole
    monkeypatch.undo()
    assert check(base, 1) != whole


def test_a_server_that_shares_no_moment_is_copied_by_one(
    server: Running, filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = filled(server, "laxcode")
    whole = check(base, 1)
    monkeypatch.setattr(_on_server, "_FROM", 1)
    monkeypatch.setattr("suture.servers.postgresql._EXPORT", "select 1 / 0")
    monkeypatch.setattr(_on_server._Shared, "share", lambda *_: pytest.fail("copied in shares"))
    assert check(base, 2) == whole


def test_a_connection_that_is_refused_says_so_without_the_password(
    server: Running, filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = filled(server, "laxcode")
    monkeypatch.setattr(_on_server, "_FROM", 1)

    share = _on_server._Shared.share

    def ended(shared: _on_server._Shared, *given: object) -> Path:
        if given[0] == 0:  # two processes that alter one user at once are refused by PostgreSQL
            base.run(f'alter user "{running.USER}" connection limit 0')
        return share(shared, *given)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(_on_server._Shared, "share", ended)
    try:
        with pytest.raises(NothingToRead) as told:
            check(base, 2)
    finally:
        base.run(f'alter user "{running.USER}" connection limit -1')
    assert str(told.value).startswith(base.shown)
    assert running.PASSWORD not in str(told.value)
    assert running.USER not in str(told.value)
