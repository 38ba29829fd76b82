"""What a resume does with an open call off its chain: it passed the call by, or a person did."""

from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases" / "orphan-call-mid"


@pytest.mark.parametrize(
    ("case", "effect"),
    [
        ("claude-left-out-by-a-resume", "the record with the unanswered call is left out"),
        ("claude-on-a-branch-that-was-left-truncate", "nothing of the branch that was left is"),
    ],
)
def test_who_left_the_call_is_told(case: str, effect: str) -> None:
    done = suture("check", CASES / case / "before", "--assume", "dead", "--format", "json")
    told = {f["on_resume"] for f in done.json["findings"] if f["rule"] == "orphan-call-mid"}
    assert len(told) == 1 and told.pop().startswith(effect)
