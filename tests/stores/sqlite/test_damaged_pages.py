"""A damaged page costs the rows on it: every other row and every session is read."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from damaged_files import (
    ROWS,
    SESSIONS,
    SIZE,
    adk,
    contents,
    cut,
    laxcode,
    leaves,
    opencode,
    overwrite,
    root,
    write_over,
)

from suture import api
from suture.model.condition import Condition, TableLoss
from suture.model.finding import Finding
from suture.model.scope import Scope
from suture.stores import DiskFiles

SHAPES: list[tuple[Callable[[Path], Path], str, str]] = [
    (opencode, "part", "part_message_id_id_idx"),
    (laxcode, "raw_message", "sqlite_autoindex_raw_message_1"),
    (adk, "events", "sqlite_autoindex_events_1"),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def found(path: Path, *sessions: str) -> list[Finding]:
    scope = Scope((str(path),), assume="dead", sessions=sessions)
    report = api.check(scope, path.parent.parent / "journal")
    assert len(report.sessions) == (len(sessions) or SESSIONS)
    return [item.finding for item in report.findings]


def physical(path: Path, *sessions: str) -> list[Finding]:
    return [finding for finding in found(path, *sessions) if finding.rule == "db-corrupt"]


def condition(path: Path) -> tuple[Condition, dict[str, int]]:
    """With the rows that the stores read."""
    files = DiskFiles()
    try:
        state = files.condition(str(path))
        with closing(files.sqlite(str(path))) as database:
            database.execute("pragma integrity_check")
            names = [
                name
                for (name,) in database.execute(
                    "select name from sqlite_master where type = 'table' and sql is not null"
                )
            ]
            counts = {n: database.execute(f"select count(*) from {n}").fetchone()[0] for n in names}
        return state, counts
    finally:
        files.close()


def loss(state: Condition, table: str) -> TableLoss:
    return next(one for one in state.losses if one.table == table)


@pytest.mark.parametrize(("make", "table", "index"), SHAPES)
def test_a_sound_file_has_no_finding(
    make: Callable[[Path], Path], table: str, index: str, home: Path
) -> None:
    path = make(home / "s.db")
    assert found(path) == []
    assert condition(path)[0] == Condition()


@pytest.mark.parametrize(("make", "table", "index"), SHAPES)
def test_a_garbled_leaf_costs_its_rows_and_an_index_names_them(
    make: Callable[[Path], Path], table: str, index: str, home: Path
) -> None:
    path = make(home / "s.db")
    overwrite(path, [leaves(path, table)[3]])
    before = contents(home)
    (finding,) = physical(path)
    state, counts = condition(path)
    assert contents(home) == before
    lost = SESSIONS * ROWS - counts[table]
    assert 0 < lost < ROWS
    assert loss(state, table).lost == lost
    assert sum(one.lost for one in loss(state, table).sessions) == lost
    assert all(one.lost + one.kept == ROWS for one in loss(state, table).sessions)
    assert finding.ids == (table,)
    assert (
        f"{lost} of {SESSIONS * ROWS} rows are lost: {loss(state, table).sessions[0].session} "
        in (finding.message)
    )
    assert not state.lossless
    assert [one.table for one in state.losses if one.lost != 0] == [table]


@pytest.mark.parametrize(("make", "table", "index"), SHAPES)
def test_a_garbled_root_costs_nothing_its_leaves_are_found_one_by_one(
    make: Callable[[Path], Path], table: str, index: str, home: Path
) -> None:
    path = make(home / "s.db")
    overwrite(path, [root(path, table)])
    state, counts = condition(path)
    assert counts[table] == SESSIONS * ROWS
    assert not state.lossless  # whose leaves they are is inferred
    assert "taken for its own" in physical(path)[0].message


@pytest.mark.parametrize(("make", "table", "index"), SHAPES)
def test_a_garbled_index_costs_nothing(
    make: Callable[[Path], Path], table: str, index: str, home: Path
) -> None:
    path = make(home / "s.db")
    overwrite(path, [leaves(path, index)[1]])
    (finding,) = found(path)
    state, counts = condition(path)
    assert state.lossless
    assert counts[table] == SESSIONS * ROWS
    assert finding.ids == (table,)
    assert f"{index} is damaged" in finding.message


def test_the_damage_is_told_whichever_session_is_asked_for(home: Path) -> None:
    path = opencode(home / "s.db")
    overwrite(path, [leaves(path, "part")[3]])
    assert len(physical(path, f"ses_{2:026}")) == 1


def test_a_page_of_another_table_in_its_place_is_not_taken_for_its_rows(home: Path) -> None:
    path = laxcode(home / "s.db")
    donor = leaves(path, "context_window_message")[0]
    data = path.read_bytes()[(donor - 1) * SIZE : donor * SIZE]
    write_over(path, (leaves(path, "raw_message")[5] - 1) * SIZE, data)
    state, counts = condition(path)
    assert 0 < (loss(state, "raw_message").lost or 0) < ROWS
    assert counts["raw_message"] == loss(state, "raw_message").kept
    assert counts["context_window_message"] == SESSIONS * ROWS


def test_a_file_that_was_cut_keeps_what_stands_before_the_cut(home: Path) -> None:
    path = opencode(home / "s.db")
    cut(path, path.stat().st_size * 2 // 3)
    state, counts = condition(path)
    assert counts["session"] == SESSIONS
    assert 0 < counts["message"] < SESSIONS * ROWS
    told = physical(path)
    assert {finding.ids[0] for finding in told if finding.ids} >= {"message", "part"}
    assert "it was cut" in " ".join(finding.message for finding in told)
    assert loss(state, "message").lost is None or loss(state, "message").lost


def test_rows_that_break_a_check_of_the_schema_are_no_damage_and_are_kept(home: Path) -> None:
    path = laxcode(home / "s.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("pragma ignore_check_constraints = on")
        database.execute("update raw_message set role = 'strange' where seq = 5")
    assert condition(path)[0] == Condition()
    overwrite(path, [leaves(path, "sqlite_autoindex_context_window_message_1")[0]])
    state, counts = condition(path)
    assert state.lossless
    assert counts["raw_message"] == SESSIONS * ROWS


def test_values_are_copied_as_they_are(home: Path) -> None:
    """Text that is not UTF-8, BLOBs in TEXT columns, rowids, counters, the rest of the schema."""
    path = home / "s.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript("""
            pragma user_version = 7; pragma application_id = 99;
            create table t (a text, b, c text generated always as (a || 'x') stored);
            create table n (id integer primary key autoincrement, v text);
            create table w (k text primary key, v) without rowid;
            create view seen as select a from t;
            create trigger guard after insert on t begin insert into n(v) values (new.a); end;
            create virtual table f using fts5(words);
            create index n_v on n (v);
            insert into f values ('three litres of cider');
            insert into t(rowid, a, b) values (5, cast(x'ff61' as text), x'00'), (9, x'62', 1.5);
            insert into n values (70, 'gone'); delete from n where id = 70;
            insert into w values ('k', null);
        """)
        database.executemany(
            "insert into n(v) values (?)", [(f"v{i % 50}" * 20,) for i in range(300)]
        )
    before = _dump(path)
    page = leaves(path, "n_v")[0]
    write_over(path, (page - 1) * 4096, b"\xee" * 4096)
    files = DiskFiles()
    try:
        state = files.condition(str(path))
        assert state.lossless and state.file is not None
        assert _dump(Path(state.file)) == before
        with closing(sqlite3.connect(state.file)) as database:
            assert database.execute("select words from f where f match 'cider'").fetchall()
            assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
            assert database.execute("pragma user_version").fetchone() == (7,)
            assert database.execute("pragma application_id").fetchone() == (99,)
    finally:
        files.close()


def _dump(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = bytes
        order = "select type, name, tbl_name, sql from sqlite_master order by type, name"
        made: list[object] = [database.execute(order).fetchall()]
        for sql in (
            "select rowid, a, typeof(a), b, typeof(b) from t",
            "select * from n",
            "select * from w",
            "select * from sqlite_sequence",
        ):
            made.append(database.execute(sql).fetchall())
    return made
