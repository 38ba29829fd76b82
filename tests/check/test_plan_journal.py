"""Whatever reads a store tells of a repair that was cut off, with commands that can be pasted."""

import re
import shlex
from pathlib import Path

import pytest
from commandline import sample, suture
from msgspec.structs import replace

from suture.repair.book import open_book

READERS = ["check", "plan", "inspect", "load", "sql", "export"]


@pytest.mark.parametrize("command", READERS)
def test_a_repair_that_was_cut_off_is_told(tmp_path: Path, command: str) -> None:
    root = sample("claude-code/torn-and-glued", tmp_path / "store")
    journal, plan = tmp_path / "journal", tmp_path / "plan.json"
    suture("plan", root, "--assume", "dead", "--journal", journal, "-o", plan)
    suture("apply", plan, "--yes", "--journal", journal)
    (folder,) = journal.glob("*/")
    book = open_book(journal, folder.name)
    state = book.state(0)
    assert state is not None
    words = (command, root, "--assume", "dead", "--journal", journal)
    assert "was cut off" not in suture(*words, *_rest(command, tmp_path / "healthy")).err
    book.write(replace(state, status="committing"))
    told = suture(*words, *_rest(command, tmp_path / "told")).err
    (undo,) = re.findall("`suture (undo [^`]*)`", told)
    assert suture(*shlex.split(undo), "--yes").code == 0


def _rest(command: str, output: Path) -> tuple[str | Path, ...]:
    return {
        "plan": ("-o", output),
        "load": ("--db", output),
        "sql": ("select 1",),
        "export": ("--to", "parquet", output),
    }.get(command, ())
