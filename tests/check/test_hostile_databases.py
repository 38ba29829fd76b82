"""Databases that are cut, are none, or hold values of other types: a finding or a clear line."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commandline import sample, suture


def rules_in(store: Path) -> set[str]:
    done = suture("check", store, "--assume", "dead", "--format", "json")
    assert done.code == int(done.json["verdict"] == "damaged")
    return {finding["rule"] for finding in done.json["findings"]}


def database(path: Path, rows: int = 200) -> bytes:
    with closing(sqlite3.connect(path)) as made, made:
        made.executescript(
            "create table session(session_id text, next_msg_seq int,"
            " context_compassion_version int);"
            "create table raw_message(session_id text, seq int, role text, content text,"
            " tool_calls text, tool_call_id text);"
            "create table context_window_message(session_id text, seq int, original_seqs text,"
            " role text, content text);"
        )
        made.execute("insert into session values ('s', ?, 0)", (rows + 1,))
        filled = [("s", seq, "user", "pear " * 40, None, None) for seq in range(1, rows + 1)]
        made.executemany("insert into raw_message values (?, ?, ?, ?, ?, ?)", filled)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("share", "rule"),
    [(0.005, "unreadable"), (0.1, "db-corrupt"), (0.5, "db-corrupt"), (0.9, "db-corrupt")],
)
def test_a_database_cut_short_is_read_up_to_the_cut(
    share: float, rule: str, tmp_path: Path
) -> None:
    store = sample("claude-code/healthy", tmp_path / "store")
    whole = database(store / "sessions.db")
    (store / "sessions.db").write_bytes(whole[: int(len(whole) * share)])
    assert rule in rules_in(store)
    done = suture("check", store / "sessions.db")
    text = done.out + done.err
    assert done.code in (1, 3)
    assert "malformed" in text or "not a database" in text or "it was cut" in text


def test_a_text_file_named_like_a_database_is_unreadable(tmp_path: Path) -> None:
    store = sample("claude-code/healthy", tmp_path / "store")
    (store / "sessions.db").write_text("these are not the rows you look for\n")
    assert rules_in(store) == {"unreadable"}
    done = suture("check", store / "sessions.db")
    assert (done.code, "named like a database" in done.err) == (3, True)
    assert suture("check", store / "sessions.db", "--as", "laxcode", "--assume", "dead").code == 1


@pytest.mark.parametrize("value", [None, 3, 1.5, "x", b"\xff\x00", "[]", "{", "[[[[", 2**62])
def test_every_column_of_a_wrong_type(value: object, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    database(path, rows=3)
    with closing(sqlite3.connect(path)) as opened, opened:
        for table, columns in (
            ("raw_message", ("seq", "role", "content", "tool_calls", "tool_call_id")),
            ("session", ("next_msg_seq", "context_compassion_version")),
        ):
            for column in columns:
                opened.execute(f"update {table} set {column} = ? where rowid = 1", (value,))
        row = ("s", value, value, value, value)
        opened.execute("insert into context_window_message values (?, ?, ?, ?, ?)", row)
    before = path.read_bytes()
    rules_in(path)
    planned = suture("plan", path, "--assume", "dead", "-o", tmp_path / "plan.json")
    assert planned.code in (0, 1)
    assert path.read_bytes() == before
