"""A session of one line that was cut off."""

from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases" / "torn-tail"


@pytest.mark.parametrize("case", ["claude-first-line", "codex-first-line"])
def test_it_is_not_said_to_resume_and_is_not_made_an_empty_file(case: str, tmp_path: Path) -> None:
    store = CASES / case / "before"
    told = suture("check", store, "--assume", "dead").out
    assert "does not resume" in told
    assert "the only record is cut off" in told
    plan = suture("plan", store, "--assume", "dead", "-o", tmp_path / "plan.json").out
    assert plan.startswith("0 steps in 1 unit")
