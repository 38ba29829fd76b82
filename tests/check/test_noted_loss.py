"""A note that tells of a loss: the verdict stays clean, and the loss is told all the same."""

import json
from pathlib import Path

from commandline import suture

CASES = Path(__file__).parent.parent / "cases" / "extra-root"
LOSS = (
    "everything before the new root is left out "
    "(as it should be, if a person went back to the first prompt)"
)


def test_what_a_new_root_cuts_off_is_told(tmp_path: Path) -> None:
    words = ("check", CASES / "claude" / "before", "--assume", "dead", "--cache", tmp_path)
    for _ in range(2):  # a cache does not hide it
        done = suture(*words, "--format", "json")
        made = json.loads(done.out)
        assert (done.code, made["verdict"]) == (0, "clean")
        assert made["sessions"][0]["resume"]["loses"] == [LOSS]
        assert [finding["on_resume"] for finding in made["findings"]] == [LOSS]
    text = suture(*words).out
    assert "resumes, and silently loses part of it" in text
    assert f"on resume, extra-root: {LOSS}" in text


def test_other_notes_tell_of_no_loss() -> None:
    case = CASES.parent / "unknown-type" / "claude" / "before"
    done = suture("check", case, "--assume", "dead", "--format", "json")
    made = json.loads(done.out)
    assert made["sessions"][0]["resume"]["loses"] == []
    assert [finding["on_resume"] for finding in made["findings"]] == [None]
