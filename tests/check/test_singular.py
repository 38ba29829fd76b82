"""One of a thing is told in the singular."""

from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases"


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("cycle/claude-its-own-parent", "record is its own parent"),
        ("partial-parallel/claude-answer", "while 1 of its batch was answered"),
    ],
)
def test_one_is_told_as_one(case: str, words: str) -> None:
    told = suture("check", CASES / case / "before", "--assume", "dead").out
    assert words in told
