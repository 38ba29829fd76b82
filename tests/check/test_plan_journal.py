"""A plan tells of a repair that was cut off, as a check does."""

from dataclasses import replace
from pathlib import Path

import pytest
from commandline import sample, suture

from suture.repair.book import open_book


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_repair_that_was_cut_off_is_told(tmp_path: Path, command: str) -> None:
    root = sample("claude-code/torn-and-glued", tmp_path / "store")
    journal, plan = tmp_path / "journal", tmp_path / "plan.json"
    suture("plan", root, "--assume", "dead", "--journal", journal, "-o", plan)
    suture("apply", plan, "--yes", "--journal", journal)
    (folder,) = journal.glob("*/")
    book = open_book(journal, folder.name)
    state = book.state(0)
    assert state is not None
    output = ("-o", plan) if command == "plan" else ()
    words = (command, root, "--assume", "dead", "--journal", journal, *output)
    assert "was cut off" not in suture(*words).err
    book.write(replace(state, status="committing"))
    assert f"`suture undo {folder.name}` takes it back" in suture(*words).err
