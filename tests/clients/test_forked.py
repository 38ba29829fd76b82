"""A repair as a new session: the client resumes it by its id, the old file keeps every byte."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import claude_scenes
import codex_scenes
import facts
import pytest
import scenes
from legality import violations
from packages import CLAUDE_2_1_197, CODEX_0_171, Client
from scene import Scene
from story import ASKED, MARK, require

from suture import api
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.clients

Make = Callable[[Client, Path], Scene]


@pytest.mark.parametrize(
    ("client", "make"),
    [
        (CLAUDE_2_1_197, claude_scenes.killed_in_parallel),
        (CLAUDE_2_1_197, scenes.killed_in_subagent),
        (CODEX_0_171, codex_scenes.killed_in_parallel),
        (CODEX_0_171, codex_scenes.killed_in_fork),
        (CODEX_0_171, codex_scenes.killed_in_fork_of_fork),
    ],
    ids=lambda x: x.version if isinstance(x, Client) else x.__name__,
)
def test_the_client_resumes_the_fork(client: Client, make: Make, tmp_path: Path) -> None:
    require(client)
    scene = make(client, tmp_path / "home")
    truth, old = scene.truth, _files(scene)
    scope, journal = Scope((str(scene.store),)), tmp_path / "journal"
    plan = api.plan(scope, Wanted(fork=True), tmp_path / "plan.json")
    assert plan.refused == ()
    applied = api.apply(tmp_path / "plan.json", journal)
    assert applied.exit_code in (0, 1), applied.outcomes
    (fork,) = (unit.fork for unit in plan.units if unit.fork is not None)
    mine = replace(scene, session=fork.session)
    sent = mine.resume(ASKED, {"text": "All of it."}).request
    assert violations(sent) == []
    reached = facts.of_request(sent)
    assert set(truth) <= set(reached), "all that the old session proves"
    made_up = [fact for label, fact in reached.items() if label not in truth]
    assert any(fact.text.startswith(MARK) for fact in made_up), "the killed call is answered"
    again = mine.resume("And now?", {"text": "The same."}).request
    assert violations(again) == []
    assert old.items() <= _files(scene).items()
    left = api.check(Scope((str(mine.file),)), journal)
    assert left.verdict == "clean", left.findings


def _files(scene: Scene) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in scene.ways.files(scene.home)}
