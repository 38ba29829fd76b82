"""OpenCode where it differs from the other clients."""

import json
from pathlib import Path

import pytest
import scenes
from packages import OPENCODE_1_18
from scene import Scene, start
from story import hold, require, tell
from ways import rows

pytestmark = pytest.mark.clients

PART, IDS = "message.part.updated.1", ("id", "sessionID", "messageID")
SPEAKS = "echo so far; touch begun; sleep 60"


def test_the_output_that_a_killed_tool_had_made_reaches_the_model(tmp_path: Path) -> None:
    require(OPENCODE_1_18)
    scene = start(
        OPENCODE_1_18,
        tmp_path / "home",
        "Deploy the shop.",
        {"text": "Deploying.", "tools": [scenes.shell(OPENCODE_1_18, SPEAKS)]},
        stored='"output":"so far\\n"',
        made="shop/begun",
    )
    truth = scene.truth
    story = tell(scene, tmp_path)
    hold(story, truth, {})
    assert "so far" not in story.before[f"result {SPEAKS}"].text
    assert "so far" in story.after[f"result {SPEAKS}"].text


def test_the_log_goes_on_where_the_repair_left_it(tmp_path: Path) -> None:
    """Row, event and counter agree after the repair and after what the client adds."""
    require(OPENCODE_1_18)
    scene = scenes.killed_in_tool(OPENCODE_1_18, tmp_path / "home")
    was = _events(scene)
    tell(scene, tmp_path)
    now = _events(scene)
    assert now[: len(was)] == was, "no event that the client wrote has changed"
    assert [seq for seq, _, _ in now] == list(range(len(now))), "the log has no hole"
    assert now[len(was)][1] == "message.part.updated.1"
    assert rows(scene.file, "SELECT seq FROM event_sequence") == [(now[-1][0],)]
    told = [json.loads(str(data))["part"] for _, kind, data in now if kind == PART]
    last = {part["id"]: {k: v for k, v in part.items() if k not in IDS} for part in told}
    stored = rows(scene.file, "SELECT id, data FROM part")
    assert {id: json.loads(str(data)) for id, data in stored} == last


def _events(scene: Scene) -> list[tuple[object, ...]]:
    return rows(scene.file, "SELECT seq, type, data FROM event ORDER BY seq")
