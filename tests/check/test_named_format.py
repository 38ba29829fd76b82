"""--as names a format for what cannot be told; it makes no database clean, and none a text file."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commandline import SAMPLES, suture


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "laxcode" / "interrupted" / "sessions.db", tmp_path))


@pytest.mark.parametrize("name", ["claude-code", "codex", "eventlog", "gemini"])
def test_a_database_is_not_read_as_lines(database: Path, name: str) -> None:
    for words in (("check",), ("plan", "-o", database.parent / "plan.json")):
        done = suture(words[0], database, *words[1:], "--as", name)
        assert (done.code, "keeps its sessions in text files" in done.err) == (3, True)


@pytest.mark.parametrize("name", ["openai-agents", "google-adk", "opencode", "crush", "goose"])
def test_a_database_of_other_tables_is_not_clean(database: Path, name: str) -> None:
    done = suture("check", database, "--as", name)
    assert (done.code, f"not those of {name}" in done.err) == (3, True)


def test_in_a_folder_it_is_passed_by(database: Path) -> None:
    log = SAMPLES / "eventlog" / "healthy" / "session.jsonl"
    shutil.copy(log, database.parent)
    done = suture("check", database.parent, "--as", "eventlog", "--format", "json")
    assert (done.code, [source["path"] for source in done.json["sources"]]) == (
        0,
        [str(database.parent / "session.jsonl")],
    )


def test_the_format_that_it_has_may_be_named(database: Path) -> None:
    assert suture("check", database, "--as", "laxcode", "--assume", "dead").code == 1


def test_a_second_framework_in_one_database_is_told(tmp_path: Path) -> None:
    database = tmp_path / "app.db"
    with closing(sqlite3.connect(database)) as made:
        for sample in (
            "langgraph/healthy/threads.db",
            "openai_agents/killed-in-tool/conversations.db",
        ):
            with closing(sqlite3.connect(shutil.copy(SAMPLES / sample, tmp_path / "copy"))) as one:
                made.executescript("\n".join(one.iterdump()))
    done = suture("check", database, "--assume", "dead")
    assert "app.db: tables of openai-agents, which --as openai-agents reads, skipped" in done.err
    (other,) = re.findall("--as ([a-z-]+) reads", done.err)
    assert suture("check", database, "--assume", "dead", "--as", other).code == 1


def test_what_concerns_a_whole_file_has_no_line(database: Path) -> None:
    none = database.with_name("none.db")
    none.write_text("no database", "utf-8")
    out = suture("check", database.parent, "--assume", "dead").out
    assert f"{none}: error 119 unreadable" in out


def test_what_no_client_lists_is_passed_by_unless_it_is_named(tmp_path: Path) -> None:
    (sample,) = (SAMPLES / "codex" / "killed-in-tool").rglob("*.jsonl")
    shutil.copy(sample, tmp_path)
    for name in (f".{sample.name}.suture-1-0.0", f"{sample.name}.tmp", f"{sample.name}.bak"):
        shutil.copy(sample, tmp_path / name)
    alone = suture("check", tmp_path, "--assume", "dead")
    assert "looked at 1 session in 1 file" in alone.out
    assert "duplicate-thread" not in alone.out
    named = suture("check", tmp_path / f"{sample.name}.bak", "--assume", "dead")
    assert "301 orphan-call-tail" in named.out
