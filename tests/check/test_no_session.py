"""JSON lines of no known format: nobody is known to resume them, so nothing is said of it."""

from pathlib import Path

import pytest
from commandline import suture

NOTHING = "no session that suture knows; only its bytes were judged"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "measured.jsonl"
    path.write_text('{"a": 1}\n{"b": 2}\n', "utf-8")
    return path


def test_healthy_lines_are_not_said_to_resume(lines: Path) -> None:
    text = suture("check", lines, "--info").out
    assert f"session measured (unknown): {NOTHING}\n" in text
    assert "resume" not in text
    assert f"{NOTHING}\n" in suture("check", lines, "--info", "--format", "markdown").out
    (session,) = suture("check", lines, "--format", "json").json["sessions"]
    assert (session["legal"], session["resume"]["resumes"]) == (None, "unknown")


def test_nor_are_they_when_their_bytes_are_mended(lines: Path, tmp_path: Path) -> None:
    lines.write_text('{"a": 1}\n{"b": \n{"c": 3}\n', "utf-8")
    assert "resume" not in suture("check", lines).out
    plan = suture("plan", lines, "-o", tmp_path / "plan.json").out
    assert "  no session that suture knows; only its bytes are mended\n" in plan
    assert "resume" not in plan


def test_old_rollouts_of_codex_still_are_refused() -> None:
    case = Path(__file__).parent.parent / "cases" / "unknown-type" / "codex-of-mid-2025"
    text = suture("check", case / "before", "--assume", "dead").out
    assert "codex (version unknown) does not resume" in text
