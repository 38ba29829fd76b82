"""An empty text makes a request illegal only where the client sends it."""

import json
from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases"


@pytest.mark.parametrize(
    ("case", "legal"),
    [
        ("alone", True),
        ("empty-prompt", True),
        ("beside-call", False),
        ("first-line-of-an-answer", False),
    ],
)
def test_only_an_empty_text_beside_another_block_is_refused(case: str, legal: bool) -> None:
    assert resumed("empty-text", case) == ("yes", legal)


def test_a_nul_does_not_keep_2_1_197_from_sending_the_whole_body() -> None:
    assert resumed("nul-in-text", "claude-result") == ("yes", None)


def resumed(rule: str, case: str) -> tuple[str, bool | None]:
    done = suture("check", CASES / rule / case / "before", "--assume", "dead", "--format", "json")
    (session,) = json.loads(done.out)["sessions"]
    return session["resume"]["resumes"], session["legal"]
