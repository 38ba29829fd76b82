"""Rows change in one transaction or not at all, and come back dump-equal."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from desk import Desk, at, digest, dump, dumped, only, plan_of, source, unit
from msgspec.structs import replace

from suture.model.edit import FileEdit, RowEdit, Value
from suture.model.errors import LiveWriter, StaleStore
from suture.model.plan import UnitPlan
from suture.repair import applier
from suture.repair.extract import extract


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_undo_is_dump_equal_in_spite_of_triggers_and_counters(desk: Desk, mode: str) -> None:
    path, plan = desk.database()
    run(path, f"pragma journal_mode = {mode}")
    before = dump(path)
    done = desk.apply(plan)
    assert only(done.outcomes) == ("applied", 0, "")
    after = dump(path)
    assert "INSERT INTO \"entry\" VALUES(9,'s1','added \udcff',X'00FF')" in after
    assert "VALUES('entry',9)" in after
    desk.undo(str(done.journal))
    assert dump(path) == before
    desk.undo(str(done.journal))
    assert dump(path) == before


def test_a_row_that_changed_stops_all_and_keeps_the_log_of_a_crash(desk: Desk) -> None:
    path, plan = desk.database()
    crashed = desk.store / "crashed"
    crashed.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        with connection:
            connection.execute("update plain set size = 2 where name = 'x'")
        for name in (path.name, f"{path.name}-wal"):
            shutil.copyfile(path.parent / name, crashed / name)
    for name in (path.name, f"{path.name}-wal"):
        shutil.copyfile(crashed / name, path.parent / name)
    before = desk.contents()
    assert before["sessions.db-wal"][0]
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("skipped", 4)
    assert "plain" in reason
    assert desk.contents() == before


def test_rows_of_another_session_may_change_meanwhile(desk: Desk) -> None:
    path, plan = desk.database()
    run(path, "update session set next = 50 where session_id = 's2'")
    before = dump(path)
    done = desk.apply(plan)
    assert done.exit_code == 0
    run(path, "update session set next = 51 where session_id = 's2'")
    desk.undo(str(done.journal))
    assert dump(path) == before.replace("'s2',50", "'s2',51")


def test_undo_refuses_when_the_session_went_on(desk: Desk) -> None:
    path, plan = desk.database()
    done = desk.apply(plan)
    run(path, "insert into entry(session_id, body) values ('s1', 'later')")
    after = dump(path)
    with pytest.raises(StaleStore, match="moved on"):
        desk.undo(str(done.journal))
    assert dump(path) == after


def test_an_open_connection_is_a_live_writer(desk: Desk) -> None:
    path, plan = desk.database()
    run(path, "pragma journal_mode = wal")
    before = dump(path)
    with closing(sqlite3.connect(path)) as idle:
        idle.execute("select * from session").fetchall()
        status, code, reason = only(desk.apply(plan).outcomes)
        assert (status, code) == ("skipped", 6)
        assert "locked by a process" in reason
    assert dump(path) == before
    done = desk.apply(plan)
    with closing(sqlite3.connect(path)) as idle:
        idle.execute("select * from session").fetchall()
        with pytest.raises(LiveWriter):
            desk.undo(str(done.journal))
    desk.undo(str(done.journal))
    assert dump(path) == before


def test_the_rules_see_the_new_rows_before_they_are_committed(desk: Desk) -> None:
    path, plan = desk.database()
    before = dump(path)
    seen: list[object] = []

    def recheck(unit: UnitPlan, connection: sqlite3.Connection) -> list[str]:
        with closing(sqlite3.connect(":memory:")) as copy:
            connection.backup(copy)
            seen.extend(copy.execute("select next from session where session_id = 's1'"))
        assert dump(path) == before
        return ["something else"]

    data = dumped(plan)
    checks = replace(desk.checks, recheck_rows=recheck)
    done = applier.apply(plan, data, journal=desk.journal, all_or_none=False, checks=checks)
    assert only(done.outcomes)[:2] == ("rolled_back", 5)
    assert seen == [(4,)]
    assert dump(path) == before


def test_an_insert_that_collides_changes_nothing(desk: Desk) -> None:
    path, plan = desk.database()
    run(path, "insert into entry(id, session_id) values (9, 's2')")
    before = dump(path)
    assert only(desk.apply(plan).outcomes)[:2] == ("skipped", 4)
    assert dump(path) == before


def test_the_journal_holds_all_rows_of_the_session_before_and_after(desk: Desk) -> None:
    _, plan = desk.database()
    done = desk.apply(plan)
    (saved,) = desk.journal.glob("*/before/*")
    rows = json.loads(saved.read_bytes())
    assert [row[:2] for row in rows["before"]["rows"]["entry"]] == [[1, "s1"], [2, "s1"]]
    assert [row[:2] for row in rows["after"]["rows"]["entry"]] == [[1, "s1"], [9, "s1"]]
    assert rows["before"]["counters"] == {"entry": 3}
    assert rows["after"]["counters"] == {"entry": 9}
    assert b'"size": 1.5' in extract(desk.journal, str(done.journal), 4)


def test_a_database_and_a_file_of_one_unit_go_together(desk: Desk) -> None:
    path, plan = desk.database()
    cold = desk.write("history.jsonl", b"old")
    (rows,) = plan.units
    edit = FileEdit(str(cold), b"old", b"new")
    both = unit(
        [*rows.sources, source(cold, b"old", b"new")],
        *(edit for step in rows.steps for edit in step.edits),
        edit,
    )
    before = dump(path), desk.contents()["history.jsonl"]
    desk.found = lambda unit: ["unplanned"]
    assert only(desk.apply(plan_of(both)).outcomes)[:2] == ("rolled_back", 5)
    assert (dump(path), desk.contents()["history.jsonl"]) == before
    desk.found = lambda unit: list(unit.remaining)
    done = desk.apply(plan_of(both))
    assert cold.read_bytes() == b"new"
    desk.undo(str(done.journal))
    assert (dump(path), desk.contents()["history.jsonl"]) == before


def test_two_sessions_of_one_database_are_undone_together(desk: Desk) -> None:
    path, _ = desk.database()
    before = dump(path)

    def session(name: str, id: int) -> UnitPlan:
        row: dict[str, Value] = {"id": id, "session_id": name, "body": "x", "raw": None}
        state = source(path, path.read_bytes(), b"")
        state = replace(state, after_size=None, after_sha256=None)
        return unit([state], RowEdit(str(path), "entry", {"id": id}, None, row))

    plan = plan_of(session("s1", 20), session("s2", 21))
    done = desk.apply(plan)
    assert [o.status for o in done.outcomes] == ["applied", "applied"]
    desk.undo(str(done.journal))
    assert dump(path) == before


def test_rows_without_a_named_key_come_back_in_their_order(desk: Desk) -> None:
    path = desk.store / "x.db"
    run(
        path,
        "create table t(a, rowid_text)",
        "create table w(k text, s, primary key (k)) without rowid",
        "insert into t values (1, 'a'), (2, 'b'), (3, 'c')",
        "insert into w values ('q', 1), ('b', 2)",
    )
    before, name = dump(path), str(path)
    state = replace(source(path, path.read_bytes(), b""), after_size=None, after_sha256=None)
    plan = plan_of(
        unit(
            [state],
            RowEdit(name, "t", {"a": 2}, {"a": 2, "rowid_text": "b"}, None),
            RowEdit(name, "t", {"a": 1}, {"a": 1, "rowid_text": "a"}, {"a": 1.0}),
            RowEdit(name, "w", {"k": "b"}, {"k": "b", "s": 2}, None),
        )
    )
    done = desk.apply(plan)
    assert only(done.outcomes) == ("applied", 0, "")
    assert digest(dump(path).encode()) != digest(before.encode())
    desk.undo(str(done.journal))
    assert dump(path) == before
