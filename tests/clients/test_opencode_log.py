"""OpenCode's rows in the `-wal`: what is there reaches the model, what is not is told."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

import opencode_log
import pytest
import scenes
from damage_done import Fault
from packages import OPENCODE_1_18
from scene import Scene
from story import ASKED, Story, forewarned, hold, require, tell
from trials import Healthy, endure, killed, resumed

from suture import api
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.clients

Resumed = Callable[[], Healthy]


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Resumed:
    return cache(lambda: resumed(OPENCODE_1_18, tmp_path_factory))


def rules(story: Story) -> list[str]:
    return [finding.rule for finding in story.findings]


def steps(story: Story) -> int:
    return sum(len(unit.steps) for unit in story.plan.units)


@pytest.mark.parametrize("fault", opencode_log.SILENT, ids=lambda fault: fault.name)
def test_what_costs_nothing_is_no_finding(fault: Fault, healthy: Resumed, tmp_path: Path) -> None:
    require(OPENCODE_1_18)
    story = endure(healthy(), fault, tmp_path)
    assert story.report.verdict == "clean" and steps(story) == 0


@pytest.mark.parametrize("fault", opencode_log.WON, ids=lambda fault: fault.name)
def test_commits_behind_a_damaged_frame_are_won(
    fault: Fault, healthy: Resumed, tmp_path: Path
) -> None:
    require(OPENCODE_1_18)
    story = endure(healthy(), fault, tmp_path)
    assert "wal-broken" in rules(story)
    assert set(story.after) - set(story.before), "the client alone loses them"


@pytest.mark.parametrize("fault", opencode_log.GONE, ids=lambda fault: fault.name)
def test_commits_that_are_gone_are_told(fault: Fault, healthy: Resumed, tmp_path: Path) -> None:
    require(OPENCODE_1_18)
    origin = healthy()
    scene = fault.put_into(origin.scene, tmp_path / "home")
    truth = scene.truth  # as far as SQLite still sees it
    story = tell(scene, tmp_path)
    hold(story, truth, {})
    forewarned(story, truth)
    assert "wal-broken" in rules(story)
    assert story.said.resume.resumes == "unknown" and story.said.resume.loses
    assert fault.name.startswith("last") or set(truth) < set(origin.truth)


@pytest.mark.parametrize("index", [True, False], ids=["with-index", "no-index"])
def test_rows_that_lie_only_in_the_log_are_repaired(index: bool, tmp_path: Path) -> None:
    """As the first run of a client leaves them that was killed in a tool."""
    require(OPENCODE_1_18)
    scene = scenes.killed_in_tool(OPENCODE_1_18, tmp_path / "home")
    assert _tables_of_the_main_file(scene, tmp_path) == 0
    if not index:
        opencode_log.without_index(scene.file)
    assert steps(killed(scene, tmp_path / "story")) > 0


def test_a_session_behind_a_damaged_header_is_found_again(tmp_path: Path) -> None:
    """The client does not know it, and would write over it. First the file, then its rows."""
    require(OPENCODE_1_18)
    scene = scenes.killed_in_tool(OPENCODE_1_18, tmp_path / "home")
    truth = scene.truth
    opencode_log.spoil(scene.file, opencode_log.spoil_header)
    lost = scene.copy(tmp_path / "lost").resume(ASKED, {"text": "All of it."})
    assert lost.requests == () and "Session not found" in lost.stdout + lost.stderr
    scope, plan, journal = Scope((str(scene.store),)), tmp_path / "plan.json", tmp_path / "journal"
    (said,) = api.check(scope, journal).sessions
    assert said.resume.resumes == "unknown"
    assert api.plan(scope, Wanted(take=(1,)), plan).units
    assert api.apply(plan, journal).exit_code in (0, 1)
    assert scene.truth == truth
    killed(scene, tmp_path / "story")


def _tables_of_the_main_file(scene: Scene, folder: Path) -> int:
    alone = Path(shutil.copy(scene.file, folder / "alone.db"))
    with closing(sqlite3.connect(alone)) as database:
        (count,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return int(count)
