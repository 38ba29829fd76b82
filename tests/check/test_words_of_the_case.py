"""What is said of a finding fits the case that it is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases"


def told(case: str, tmp_path: Path) -> str:
    (script,) = (CASES / case / "before").glob("*.sql")
    database = tmp_path / script.stem
    with closing(sqlite3.connect(database)) as made:
        made.executescript(script.read_text("utf-8"))
    return suture("check", database, "--assume", "dead").out


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("foreign-key/opencode-part", "foreign-key: parts of an absent message are not sent\n"),
        ("foreign-key/opencode-project", "foreign-key: the project of the folder is made again"),
        ("missing-state-row/opencode", "foreign-key: nothing is lost to the model: events"),
        ("unfinished-message/opencode", "unfinished-message: nothing is lost: what is stored"),
    ],
)
def test_effects_of_opencode(case: str, words: str, tmp_path: Path) -> None:
    assert words in told(case, tmp_path)


def test_no_repair_is_offered_where_suture_writes_nothing(tmp_path: Path) -> None:
    text = told("orphan-call-tail/langgraph", tmp_path)
    assert "repair: not by suture: only the program's own graph writes a state\n" in text
    assert "(safe)" not in text
