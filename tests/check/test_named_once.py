"""A line that starts with a unit does not name it again in the reason."""

import os
import sqlite3
from pathlib import Path

import pytest
from commandline import sample, suture

from suture.cli._text import told_of


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("a.db#s1 is in use: pid 7 has it open", "a.db#s1 is in use: pid 7 has it open"),
        ("a.db is locked by a process", "a.db#s1: is locked by a process"),
        ("b.db is gone; plan again", "a.db#s1: b.db is gone; plan again"),
        (None, "a.db#s1"),
    ],
)
def test_a_unit_and_its_file_are_named_once(reason: str | None, line: str) -> None:
    assert told_of("a.db#s1", reason) == line


def test_what_is_locked_is_named_once(tmp_path: Path) -> None:
    store = sample("opencode/killed-in-tool", tmp_path / "store") / "opencode.db"
    plan = tmp_path / "plan.json"
    assert suture("plan", store, "--assume", "dead", "-o", plan).code == 1
    client = sqlite3.connect(store)
    client.execute("begin immediate")
    done = suture("apply", plan, "--yes", "--journal", tmp_path / "journal")
    client.close()
    assert done.code == 6
    (line,) = done.out.splitlines()
    assert line.startswith(f"skipped: {store}#") and line.count(str(store)) == 1


def test_what_changed_is_named_once(tmp_path: Path) -> None:
    store = sample("claude-code/torn-and-glued", tmp_path / "store")
    plan = tmp_path / "plan.json"
    assert suture("plan", store, "--assume", "dead", "-o", plan).code == 1
    (path,) = store.rglob("*.jsonl")
    with path.open("ab") as file:
        file.write(b"{}\n")
    os.utime(path, (1, 1))
    done = suture("apply", plan, "--yes", "--journal", tmp_path / "journal")
    assert done.out == f"skipped: {path} changed after the plan was made; plan again\n"
