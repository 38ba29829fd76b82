"""Claude Code where it differs from the other clients."""

from pathlib import Path

import claude_faults
import claude_scenes
import facts
import pytest
import scenes
from damage_done import Lines, change_lines, find
from packages import CLAUDE_2_1_197
from story import ASKED, hold, require, tell

pytestmark = pytest.mark.clients


def test_a_result_of_a_subagent_is_restored_from_its_own_transcript(tmp_path: Path) -> None:
    require(CLAUDE_2_1_197)
    scene = scenes.with_subagent(CLAUDE_2_1_197, tmp_path / "home")
    truth = scene.truth

    def without_result(lines: Lines) -> Lines:
        at = find(lines, '"type":"tool_result"', "Three prices, all right.")
        return [*lines[:at], *lines[at + 1 :]]

    change_lines(scene, without_result)
    story = tell(scene, tmp_path)
    label = "result check the prices"
    assert story.after[label].text.startswith("[suture]")
    assert "Three prices, all right." in story.after[label].text
    hold(story, {k: v for k, v in truth.items() if k != label}, {})


def test_a_missing_line_end_costs_the_next_line_and_is_mended_then(tmp_path: Path) -> None:
    """2.1.197 appends without looking. Nothing is lost before it does, so nothing is repaired."""
    require(CLAUDE_2_1_197)
    scene = scenes.worked(CLAUDE_2_1_197, tmp_path / "home")
    change_lines(scene, claude_faults.no_final_line_end)
    scene.resume(ASKED, {"text": "All of it."})
    truth = facts.of_claude(_whole(scene.file.read_bytes()))
    story = tell(scene, tmp_path)
    assert [finding.rule for finding in story.findings] == ["missing-newline"]
    hold(story, truth, {})


def test_a_call_that_a_resume_left_out_reaches_the_model_again(tmp_path: Path) -> None:
    """Who resumes a killed session before asking suture has hung what followed above the call."""
    require(CLAUDE_2_1_197)
    scene = claude_scenes.killed_in_tool(CLAUDE_2_1_197, tmp_path / "home")
    truth = scene.truth
    calls = [label[5:] for label in truth if label.startswith("call ")]
    unanswered = [f"call {call}" for call in calls if f"result {call}" not in truth]
    sent = scene.resume("What became of it?", {"text": "Of what?"}).request
    assert facts.of_request(sent).keys().isdisjoint(unanswered), "the client leaves them out"
    hold(tell(scene, tmp_path), truth, {})


def _whole(data: bytes) -> list[bytes]:
    return data.replace(b'}{"type":"queue-operation"', b'}\n{"type":"queue-operation"').splitlines()
