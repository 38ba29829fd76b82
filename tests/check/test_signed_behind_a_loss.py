"""Signed thinking behind a line that cannot be read: `check` says of it what the plan does."""

import json
from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases" / "bad-json"


@pytest.mark.parametrize(
    ("case", "legal", "steps"),
    [
        ("claude-signed-behind-the-loss", False, 2),
        ("claude-signed-behind-and-nothing-hangs-on-it", True, 1),
    ],
)
def test_only_a_line_that_others_hang_on_makes_it_illegal(
    case: str, legal: bool, steps: int, tmp_path: Path
) -> None:
    store = (CASES / case / "before", "--assume", "dead")
    (session,) = suture("check", *store, "--format", "json").json["sessions"]
    assert session["legal"] is legal
    suture("plan", *store, "-o", tmp_path / "plan.json")
    (unit,) = json.loads((tmp_path / "plan.json").read_text("utf-8"))["units"]
    assert len(unit["steps"]) == steps, "the thinking goes where it would be refused"
    assert unit["sessions"][0]["before"]["legal"] is legal
