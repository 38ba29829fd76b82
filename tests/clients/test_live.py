"""A real client at work on its session is a live writer: suture says so and writes nothing."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import harness
import pytest
import scenes
from commandline import suture
from packages import CLAUDE_2_1_197, CODEX_0_171, OPENCODE_1_18, Client
from scene import Scene
from story import require

pytestmark = pytest.mark.clients

WRITER = r".*(pid \d+|writer lock)"
ALIVE = [CLAUDE_2_1_197, CODEX_0_171, OPENCODE_1_18]


@pytest.mark.parametrize("client", ALIVE, ids=lambda client: client.id)
def test_a_client_left_running_is_not_written_under(client: Client, tmp_path: Path) -> None:
    require(client)
    scene = scenes.killed_in_tool(client, tmp_path / "home")
    begun, plan, journal = scene.home / "shop/begun", tmp_path / "plan.json", tmp_path / "journal"
    begun.unlink()
    step = {"text": "Deploying.", "tools": [scenes.shell(client, scenes.BEGUN)]}
    with harness.running(client, scene.home, scene.again("Try again."), [step]) as process:
        assert not process.wait(lambda: begun.exists() and b"Try again." in _stored(scene)), "ended"
        checked, named = suture("check", scene.store, "--format", "json").json, _live(scene)
        # only who takes it for dead gets a plan of it
        refused = suture("plan", scene.store, "-o", plan)
        suture("plan", scene.store, "-o", plan, "--assume", "dead")
        before = _stored(scene)
        applied = suture("apply", plan, "--yes", "--journal", journal)
        assert _stored(scene) == before, "the client writes nothing while its tool runs, nor do we"
    (alive,) = [s for s in checked["sessions"] if s["id"] == scene.session]
    assert alive["tail"] == "live"
    assert any(re.search(rf"a writer is alive: {WRITER}", text) for text in named)
    assert refused.out.startswith("0 steps"), refused
    assert re.search(rf"left alone: {WRITER}", refused.out), refused
    assert applied.code == 6, applied
    assert re.search(WRITER, applied.out), applied
    assert _until(lambda: not _live(scene)), "a dead one is no writer"


def _live(scene: Scene) -> list[str]:
    checked = suture("check", scene.store, "--info", "--format", "json").json
    return [f["message"] for f in checked["findings"] if f["rule"] == "live-writer"]


def _until(reached: Callable[[], bool]) -> bool:
    """What was killed takes a moment to end, and suture does not look at every process anew each
    time that it is asked."""
    end = time.monotonic() + 30
    while not reached():
        if time.monotonic() > end:
            return False
        time.sleep(1)
    return True


def _stored(scene: Scene) -> bytes:
    return b"".join(
        path.read_bytes() for path in scene.ways.files(scene.home) if "-shm" not in path.name
    )
