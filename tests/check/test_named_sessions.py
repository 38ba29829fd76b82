"""`--session`, `--take` and `--skip` mean something that is there: a slip of the pen is told."""

import shutil
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from commandline import SAMPLES, suture

CODEX = SAMPLES / "codex" / "killed-in-tool"
KILLED = "01a22851-6415-7c61-9f69-465c638c420e"
CUT = Path(__file__).parent.parent / "cases" / "unreadable" / "codex-cut-zst" / "before"
TORN = SAMPLES / "claude-code" / "torn-and-glued"
MISSPELT = "01a22851-6415-7c61-9f69-465c638c420f"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Sessions of two clients, in files of their own."""
    store = tmp_path / "store"
    shutil.copytree(CODEX, store / "codex")
    shutil.copytree(TORN, store / "claude")
    return store


@pytest.mark.parametrize("command", ["check", "inspect", "plan", "load", "sql", "export"])
def test_a_session_that_is_not_there_is_no_clean_one(
    command: str, store: Path, tmp_path: Path
) -> None:
    words: dict[str, list[str | Path]] = {
        "plan": ["-o", tmp_path / "plan.json"],
        "load": ["--db", tmp_path / "made.duckdb"],
        "sql": ["select * from session"],
        "export": [tmp_path / "out", "--to", "parquet"],
    }
    done = suture(command, store, *words.get(command, ()), "--session", MISSPELT)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"no session {MISSPELT} there")
    assert not (tmp_path / "plan.json").exists()
    assert not (tmp_path / "made.duckdb").exists()


def test_one_of_two_that_is_not_there_is_told(store: Path) -> None:
    assert suture("check", store, "--session", KILLED, "--session", MISSPELT).code == 3
    assert suture("check", store, "--session", KILLED, "--assume", "dead").code == 1


def test_nothing_has_to_be_there_where_that_is_said(store: Path) -> None:
    assert suture("check", store, "--session", MISSPELT, "--allow-empty").code == 0


def test_a_file_that_cannot_be_read_is_told_of_the_session_in_its_name() -> None:
    done = suture("check", CUT, "--session", "019c5000-0000-7000-8000-000000000001")
    assert done.code == 1
    assert "119 unreadable" in done.out


def test_tables_hold_the_sessions_that_were_asked_for(store: Path, tmp_path: Path) -> None:
    asked = ("--session", KILLED)
    query = (
        "select (select string_agg(id) from session), (select count(distinct session) from record),"
        " (select count(*) from source), (select count(distinct session) from call)"
    )
    assert suture("sql", store, query, *asked).out.splitlines()[1] == f"{KILLED}\t1\t1\t1"
    assert suture("load", store, "--db", tmp_path / "made.duckdb", *asked).code == 0
    with duckdb.connect(str(tmp_path / "made.duckdb"), read_only=True) as made:
        assert made.sql("select id from session").fetchall() == [(KILLED,)]
    assert suture("export", store, tmp_path / "out", "--to", "parquet", *asked).code == 0
    for table in ("sessions", "messages", "parts", "events", "tool_calls", "findings"):
        rows = pq.read_table(tmp_path / "out" / table)
        assert set(rows["session_id"].to_pylist()) == {f"codex:{KILLED}"}, table


def test_a_repair_to_take_is_offered(store: Path, tmp_path: Path) -> None:
    done = suture("plan", store, "-o", tmp_path / "plan.json", "--take", "77")
    assert done.code == 2
    assert "--take: no repair 77 for a person to choose" in done.err


def test_what_is_skipped_is_a_rule_or_a_finding(store: Path, tmp_path: Path) -> None:
    plan = ("plan", store, "-o", tmp_path / "plan.json", "--assume", "dead", "--skip")
    done = suture(*plan, "orphan-call-tial")
    assert (done.code, "no rule or finding 'orphan-call-tial'" in done.err) == (2, True)
    (finding, *_) = suture("check", store, "--assume", "dead", "--format", "json").json["findings"]
    for name in ("301", "orphan-call-tail", finding["fingerprint"], "0123456789abcdef0123"):
        assert suture(*plan, name).code == 1, name


def test_units_with_nothing_but_notes_are_not_listed(tmp_path: Path) -> None:
    notes = Path(__file__).parent.parent / "cases" / "crlf"
    case = next(case for case in sorted(notes.iterdir()) if not case.name.startswith("near-miss"))
    done = suture("plan", case / "before", "-o", tmp_path / "plan.json")
    assert done.out.startswith("0 steps in 0 units, policy answer\n\nnext: ")
