"""What the tables say of a laxcode database."""

from pathlib import Path
from typing import Any

import pytest
from lax_databases import Desk, answer, ask, say, time

from suture.db.pairing import pairs
from suture.model.unit import Unit
from suture.stores._sqlite import describe
from suture.stores._store import Head
from suture.stores._times import a_moment_later, microseconds
from suture.stores.laxcode import STORE

WORK = (say("system", "you are"), say("user", "go"), ask("a"), answer("a"), say("assistant", "ok"))


def states(desk: Desk) -> dict[tuple[str, str], str]:
    tables = desk.tables()
    keys = ("session", "lane", "pos", "n", "part", "call_id", "server")
    calls, results = (
        [tuple(row[key] for key in keys) for row in tables[table]] for table in ("call", "result")
    )
    return {(pair.lane, pair.call_id): pair.state for pair in pairs(calls, results)}


def test_raw_messages_are_the_records(tmp_path: Path) -> None:
    tables = Desk(tmp_path, *WORK).tables()
    told = [(r["n"], r["kind"], r["ordinal"], r["sent"]) for r in tables["record"]]
    assert told == [
        (0, "injected", 1, True),
        (1, "prompt", 2, True),
        (2, "call", 3, True),
        (3, "result", 4, True),
        (4, "reply", 5, True),
    ]
    assert tables["record"][1]["key"] == '{"session_id":"s1","seq":2}'
    (session,) = tables["session"]
    assert (session["counter"], session["context_version"], session["variant"]) == (6, 0, "D")
    assert tables["damage"] == []


def test_history_and_window_are_walked_each_on_its_own(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK, ask("b"))
    assert states(desk) == {
        ("main", "a"): "paired",
        ("window", "a"): "paired",
        ("main", "b"): "open",
        ("window", "b"): "open",
    }


def test_what_a_summary_stands_for_is_not_in_the_window(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.compact(1, ([1], "", "="), ([2, 3, 4], "user", "summary"), ([5], "", "="))
    assert states(desk) == {("main", "a"): "paired"}


def test_only_the_sessions_version_is_the_current_window(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.compact(1, ([1], "", "="), ([2, 3, 4], "user", "they built"), ([5], "", "="))
    tables = desk.tables()
    current = [e for e in tables["context_entry"] if e["current"]]
    assert [(e["kind"], e["n"], e["original_seqs"]) for e in current] == [
        ("original", 0, [1]),
        ("summary", None, [2, 3, 4]),
        ("original", 4, [5]),
    ]
    assert len(tables["context_entry"]) == 8
    assert [r["sent"] for r in tables["record"]] == [True, False, False, False, True]
    (compaction,) = tables["compaction"]
    assert [compaction[key] for key in ("version", "n", "kept", "talk_before")] == [1, 3, 3, 3]


def test_one_original_with_another_text_is_a_summary(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.compact(1, ([2], "user", "shorter"))
    entry = desk.tables()["context_entry"][-1]
    assert (entry["kind"], entry["n"]) == ("summary", None)


def test_a_window_table_without_version_is_current(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.run("create table w as select * from context_window_message")
    desk.run("drop table context_window_message")
    desk.run("alter table w rename to context_window_message")
    desk.run("alter table context_window_message drop column compassion_version")
    assert [e["current"] for e in desk.tables()["context_entry"]] == [True] * 5


@pytest.mark.parametrize(
    "stored",
    [
        '[{"id":"x","name":"shell","arguments":{"a":1}}]',
        '[{"id":"x","type":"function","function":{"name":"shell","arguments":"{\\"a\\":1}"}}]',
    ],
)
def test_both_spellings_of_a_call_are_read(tmp_path: Path, stored: str) -> None:
    desk = Desk(tmp_path, *WORK, ask("x"))
    desk.run("update raw_message set tool_calls = ? where seq = 6", stored)
    call = next(c for c in desk.tables()["call"] if c["lane"] == "main" and c["call_id"] == "x")
    assert (call["name"], call["malformed"], call["outcome"]) == ("shell", None, "unknown")


@pytest.mark.parametrize(
    ("stored", "malformed"),
    [
        ('[{"id":"x","name":"","arguments":{}}]', "it has no name"),
        ('[{"id":"x","name":"a\\u0000b","arguments":{}}]', "its name holds control bytes"),
        ('[{"id":"x","name":"s","arguments":"{"}]', "its arguments are not JSON"),
        ('[{"id":"x","name":"s","arguments":[1]}]', "its arguments are no object"),
    ],
)
def test_a_call_that_cannot_be_replayed_is_told(
    tmp_path: Path, stored: str, malformed: str
) -> None:
    desk = Desk(tmp_path, *WORK, ask("x"))
    desk.run("update raw_message set tool_calls = ? where seq = 6", stored)
    call = next(c for c in desk.tables()["call"] if c["lane"] == "main" and c["call_id"] == "x")
    assert call["malformed"] == malformed


@pytest.mark.parametrize(
    ("table", "column", "value", "kind"),
    [
        ("raw_message", "tool_calls", "[{", "bad_json"),
        ("raw_message", "tool_calls", '{"id":"a"}', "bad_shape"),
        ("raw_message", "tool_calls", '[{"name":"a"}]', "bad_shape"),
        ("raw_message", "tool_calls", 7, "bad_shape"),
        ("raw_message", "content", b"\xff\xfe", "invalid_utf8"),
        ("raw_message", "role", "robot", "bad_shape"),
        ("context_window_message", "original_seqs", "[1", "bad_json"),
        ("context_window_message", "original_seqs", "[]", "bad_shape"),
        ("context_window_message", "original_seqs", '["3"]', "bad_shape"),
        ("context_window_message", "tool_calls", "[" * 100_000, "bad_json"),
    ],
)
def test_a_wrong_column_costs_its_row_and_no_more(
    tmp_path: Path, table: str, column: str, value: Any, kind: str
) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.run(f"update {table} set {column} = ? where seq = 3", value)
    tables = desk.tables(full=True)
    damage = tables["damage"]
    assert {(d["kind"], d["table"], d["field"]) for d in damage} == {(kind, table, column)}
    assert len(tables["record"]) == 5
    if table == "raw_message":
        assert tables["record"][2]["problem"] == ("shape" if kind == "bad_shape" else None)


def test_text_that_is_no_utf8_is_read_as_bytes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.run("update raw_message set content = cast(x'6f6bff' as text) where seq = 5")
    assert [d["kind"] for d in desk.tables()["damage"]] == ["invalid_utf8"]


def test_a_session_that_only_messages_name_has_no_header(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.run("delete from session")
    (session,) = desk.tables()["session"]
    assert (session["id"], session["header_id"], session["meta_required"]) == ("s1", None, True)
    assert STORE.units(desk.files, [str(desk.path)]) == [desk.unit]


def test_each_session_is_a_unit_that_reads_its_own_rows(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    other = Desk(tmp_path, say("user", "hello"), session="s2")
    units = STORE.units(desk.files, [str(desk.path)])
    assert [unit.session for unit in units] == ["s1", "s2"]
    assert [r["n"] for r in other.tables()["record"]] == [0]


def test_the_database_is_copied_once_for_all_sessions(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    for number in range(20):
        desk.add_session(f"more-{number}", [say("user", "hello")])
    for unit in STORE.units(desk.files, [str(desk.path)]):
        desk.unit = unit
        desk.tables()
    assert len(list(Path(desk.disk._folder.name).iterdir())) == 1


def test_a_database_of_the_three_tables_is_claimed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *WORK)
    path = str(desk.path)
    assert STORE.claims(Head(path, b"", describe(path)))
    desk.run("drop table raw_message")
    assert not STORE.claims(Head(path, b"", describe(path)))
    assert not STORE.claims(Head(path, b"{}"))


@pytest.mark.parametrize("length", [0, 100])
def test_a_cut_database_is_unreadable_and_no_crash(tmp_path: Path, length: int) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.path.write_bytes(desk.path.read_bytes()[:length])
    desk.unit = Unit(0, "laxcode", (str(desk.path),))
    assert STORE.units(desk.files, [str(desk.path)]) == [desk.unit]
    assert [d["kind"] for d in desk.tables()["damage"]] == ["unreadable"]


@pytest.mark.parametrize(("length", "sessions"), [(4096, 0), (9000, 1)])
def test_a_database_is_read_up_to_the_cut(tmp_path: Path, length: int, sessions: int) -> None:
    desk = Desk(tmp_path, *WORK)
    desk.path.write_bytes(desk.path.read_bytes()[:length])
    found = STORE.units(desk.files, [str(desk.path)])
    assert len([unit for unit in found if unit.session is not None]) == sessions
    faults = desk.files.condition(str(desk.path)).faults
    assert {fault.kind for fault in faults} == {"db_corrupt"}


def test_turns_end_with_a_reply_that_calls_nothing(tmp_path: Path) -> None:
    tables = Desk(tmp_path, *WORK, say("user", "more"), ask("b")).tables()
    told = [(t["start_n"], t["end_n"], t["status"]) for t in tables["turn"]]
    assert told == [(1, 4, "complete"), (5, None, "open")]
    assert [s["first_n"] for s in tables["step"]] == [2, 4, 6]


@pytest.mark.parametrize(
    ("stored", "later"),
    [
        ("2026-03-02T09:14:05Z", "2026-03-02T09:14:05.001Z"),
        ("2026-03-02 09:14:59.9995", "2026-03-02 09:15:00.0005"),
        ("2026-12-31T23:59:59.999+01:00", "2027-01-01T00:00:00.000+01:00"),
        ("2026-03-02 09:14:05.123456789+00:00", "2026-03-02 09:14:05.124456789+00:00"),
        (1772442845, 1772442845),
        (1772442845123, 1772442845124),
        (1772442845123456, 1772442845124456),
        ("soon", "soon"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        (None, None),
    ],
)
def test_a_moment_later_has_the_format_of_the_column(stored: Any, later: Any) -> None:
    assert a_moment_later(stored) == later


def test_times_of_all_formats_are_microseconds() -> None:
    expected = 1772442845123000
    texts = ("2026-03-02T09:14:05.123Z", "2026-03-02 09:14:05.123")
    for stored in (*texts, 1772442845123, 1772442845.123):
        assert microseconds(stored) == expected
    assert microseconds(float("nan")) is None
    assert microseconds(time(5)) == 1772442845000000
