"""DuckDB starts with little memory and gets more where a query cannot do without."""

from contextlib import closing

import duckdb
import pytest

from suture.db import Database
from suture.model.rows import ArtifactRow, SourceRow, StateRow
from suture.stores import Sink

# One value, which can be put into no file meanwhile.
LARGE = "select list(i) as numbers from range(4000000) t(i)"


@pytest.fixture(autouse=True)
def _little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.db.database._MEMORY", 8)


def test_a_query_that_needs_more_gets_more() -> None:
    with closing(Database()) as db:
        (row,) = db.rows(LARGE.replace("list(i)", "len(list(i))"))
        assert row.numbers == 4_000_000


def test_so_does_what_is_asked_for_as_a_table() -> None:
    with closing(Database()) as db:
        assert len(db.arrow(LARGE)["numbers"][0]) == 4_000_000


def test_but_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.db.database._MOST_MEMORY", 8)
    with closing(Database()) as db, pytest.raises(duckdb.OutOfMemoryException):
        db.arrow(LARGE)


def test_what_rules_made_is_made_again_when_it_was_forgotten_but_for_tables() -> None:
    db, made = Database(), list[str]()

    def table() -> None:
        db.script("create temp table kept as select 1 as one")
        made.append("table")

    def links() -> str:
        made.append("links")
        return "links"

    for _ in range(2):
        db.once("table", table)
        db.once("links", links)
        db.forget()
    db.close()
    assert made == ["table", "links", "links"]


def test_what_waits_beside_the_rows_of_a_large_session_goes_in_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("suture.db.database._BATCH", 8)
    sink = Sink()
    for n in range(6):
        sink.add("state_kv", StateRow(0, n, "leaf", "R1", "x"))
        sink.add("artifact", ArtifactRow(0, n, "x", present=True))
        sink.add("source", SourceRow(n, "codex", "x", "jsonl"))
    with closing(Database()) as db:
        db.load_part(sink.tables())
        db.flush()
        for table in ("state_kv", "artifact", "source"):
            assert len(db.rows(f"select * from {table}")) == 6
