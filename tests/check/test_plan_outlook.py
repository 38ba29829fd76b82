"""A plan says for each session what is lost today and what the repair brings."""

import json
from pathlib import Path
from typing import Any

from commandline import sample, suture


def planned(root: Path, *words: str) -> tuple[list[Any], str]:
    plan = root.parent / "plan.json"
    done = suture("plan", root, "--assume", "dead", "-o", plan, *words)
    assert done.code == 1
    units = json.loads(plan.read_text("utf-8"))["units"]
    return [session for unit in units for session in unit["sessions"]], done.out


def test_a_killed_tool_is_lost_today_and_told_then(tmp_path: Path) -> None:
    ((session,), text) = planned(sample("codex/killed-in-tool", tmp_path / "store"))
    before, after = session["before"], session["after"]
    assert (before["resumes"], before["open_calls"], before["messages"]) == ("yes", 2, 5)
    assert [loss[:26] for loss in before["loses"]] == [
        "the model is told aborted,",
        "the turn is shown as inter",
    ]
    assert after == {"resumes": "yes", "legal": True, "loses": [], "messages": 7, "open_calls": 0}
    assert session["gains"] == [
        "exec_command (call_7d900d14417949c7894a) is told: interrupted, result unknown",
        "exec_command (call_0c3750aa86d0412cb762) gets the result that is recorded elsewhere",
        "the history has 7 messages, today 5",
    ]
    now, then = (
        text.index("  now: resumes, and loses:\n"),
        text.index("  then: resumes, nothing is"),
    )
    assert now < text.index("    - the model is told aborted") < then
    assert then < text.index("    + exec_command (call_7d9") < text.index("  1. ")


def test_a_record_won_from_a_damaged_line_is_counted(tmp_path: Path) -> None:
    ((session,), _) = planned(sample("claude-code/torn-and-glued", tmp_path / "store"))
    assert session["gains"] == ["the history has 4 messages, today 3"]
    assert session["before"]["loses"] and not session["after"]["loses"]


def test_what_a_narrower_plan_leaves_is_still_lost_after_it(tmp_path: Path) -> None:
    root = sample("codex/damaged", tmp_path / "store")
    ((whole,), _) = planned(root)
    assert not whole["after"]["loses"]
    root = sample("codex/killed-in-tool", tmp_path / "other" / "store")
    ((part,), text) = planned(root, "--skip", "orphan-call-tail", "--skip", "orphan-call-mid")
    assert part["before"]["loses"] and part["after"]["loses"]
    assert "  then: resumes, and loses:\n    - " in text
    assert "(call_7d900d14417949c7894a) still has no result" in text


def test_calls_that_a_policy_takes_out_are_named(tmp_path: Path) -> None:
    root = sample("eventlog/interrupted", tmp_path / "store")
    ((session,), _) = planned(root, "--policy", "drop")
    assert any(gain.endswith("is taken out") for gain in session["gains"])
    assert session["after"]["open_calls"] == 0


def test_sessions_of_one_database_are_told_apart(tmp_path: Path) -> None:
    found, _ = planned(sample("laxcode/interrupted", tmp_path / "store"))
    assert len({session["session"] for session in found}) == len(found) > 0
    assert all(session["before"] != session["after"] for session in found)


def test_a_plan_without_steps_says_how_a_numbered_repair_gets_in(tmp_path: Path) -> None:
    root = sample("codex/healthy", tmp_path / "home")
    (whole,) = root.rglob("rollout-*.jsonl")
    copy = tmp_path / "copy" / whole.name
    copy.parent.mkdir()
    lines = whole.read_bytes().splitlines()
    copy.write_bytes(b"\n".join([*lines[:7], lines[7] + lines[8], *lines[9:]]) + b"\n")
    done = suture("plan", copy, "--assume", "dead", "-o", tmp_path / "plan.json")
    assert "--take 1: put each record on a line of its own" in done.out
    assert done.out.endswith("` plans that repair\n")
