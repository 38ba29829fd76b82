"""Claude Code resumes what suture has repaired, and its model knows what the store still proves."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import claude_faults
import claude_scenes
import facts
import pytest
from claude_faults import FAULTS
from damage_done import Fault, find
from packages import CLAUDE_2_1_197, CLAUDE_2_1_332, Client
from scenes import Scene
from story import ASKED, hold, require, tell
from trials import Healthy, endure, killed, resumed

pytestmark = pytest.mark.clients

Make = Callable[[Client, Path], Scene]
NEWER = ("last-result-cut", "no-result", "unknown-parent", "glued")  # enough to see it differ

KILLED = (
    claude_scenes.killed_in_tool,
    claude_scenes.killed_in_parallel,
    claude_scenes.killed_after_compaction,
    claude_scenes.killed_in_stream,
    claude_scenes.killed_in_subagent,
    claude_scenes.killed_in_fork,
)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Client], Healthy]:
    return cache(lambda client: resumed(claude_scenes.worked, client, tmp_path_factory))


CASES = [
    *((CLAUDE_2_1_197, fault) for fault in FAULTS),
    *((CLAUDE_2_1_332, fault) for fault in FAULTS if fault.name in NEWER),
]


@pytest.mark.parametrize(
    ("client", "fault"), CASES, ids=lambda x: x.name if isinstance(x, Fault) else x.version
)
def test_a_fault(
    client: Client, fault: Fault, healthy: Callable[[Client], Healthy], tmp_path: Path
) -> None:
    require(client)
    endure(healthy(client), fault, tmp_path)


@pytest.mark.parametrize(
    ("client", "make"),
    [
        *((CLAUDE_2_1_197, make) for make in KILLED),
        *((CLAUDE_2_1_332, make) for make in KILLED[:3]),
    ],
    ids=lambda x: x.version if isinstance(x, Client) else x.__name__,
)
def test_a_kill(client: Client, make: Make, tmp_path: Path) -> None:
    require(client)
    killed(make(client, tmp_path / "home"), tmp_path)


def test_smoke_a_kill_and_a_fault(healthy: Callable[[Client], Healthy], tmp_path: Path) -> None:
    client = CLAUDE_2_1_197
    require(client)
    killed(claude_scenes.killed_in_parallel(client, tmp_path / "killed"), tmp_path / "killed-story")
    (fault,) = [fault for fault in FAULTS if fault.name == "stub-before-record"]
    endure(healthy(client), fault, tmp_path)


def test_a_result_of_a_subagent_is_restored_from_its_own_transcript(tmp_path: Path) -> None:
    require(CLAUDE_2_1_197)
    scene = claude_scenes.with_subagent(CLAUDE_2_1_197, tmp_path / "home")
    lines = scene.transcript.read_bytes().splitlines(keepends=True)
    truth = facts.of_claude(lines)
    at = find(lines, '"type":"tool_result"', "Three prices, all right.")
    scene.transcript.write_bytes(b"".join([*lines[:at], *lines[at + 1 :]]))
    story = tell(scene, tmp_path)
    label = "result check the prices"
    assert story.after[label].text.startswith("[suture]")
    assert "Three prices, all right." in story.after[label].text
    hold(story, {k: v for k, v in truth.items() if k != label}, {})


def test_a_missing_line_end_costs_the_next_line_and_is_mended_then(
    healthy: Callable[[Client], Healthy], tmp_path: Path
) -> None:
    """2.1.197 appends without looking. Nothing is lost before it does, so nothing is repaired."""
    require(CLAUDE_2_1_197)
    origin = healthy(CLAUDE_2_1_197)
    scene = claude_faults.NO_FINAL_LINE_END.put_into(origin.scene, tmp_path / "home")
    scene.resume(ASKED, {"text": "All of it."})
    truth = facts.of_claude(_whole(scene.transcript.read_bytes()))
    story = tell(scene, tmp_path)
    assert [finding.rule for finding in story.findings] == ["missing-newline"]
    hold(story, truth, {})


def _whole(data: bytes) -> list[bytes]:
    return data.replace(b'}{"type":"queue-operation"', b'}\n{"type":"queue-operation"').splitlines()
