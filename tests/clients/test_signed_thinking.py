"""Thinking that is bound to all that was said before it: what a repair of Claude Code does to it.

The stand-in signs as the newer models do, and `violations` takes no thinking of another history.
"""

from dataclasses import replace
from pathlib import Path

import claude_faults
import claude_scenes
import facts
import pytest
from damage_done import Lines, change_lines
from legality import violations
from packages import CLAUDE_2_1_197, CLAUDE_2_1_332, Client
from story import ASKED, forewarned, hold, require, tell
from trials import killed

from suture import api
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.clients

FOREIGN = "thinking of another history: "
LOST = "result echo one"


def no_result(lines: Lines) -> Lines:
    at = claude_faults.result(lines, "one")
    return [*lines[:at], *lines[at + 1 :]]


def cut_text(lines: Lines) -> Lines:
    at = claude_faults.reply(lines, "Looking.")
    return [*lines[:at], lines[at][:60] + b"\n", *lines[at + 1 :]]


@pytest.mark.parametrize("client", [CLAUDE_2_1_197, CLAUDE_2_1_332], ids=lambda client: client.id)
def test_what_the_repair_makes_invalid_goes_with_it(client: Client, tmp_path: Path) -> None:
    require(client)
    scene = claude_scenes.thoughtful(client, tmp_path / "home")
    truth = scene.truth
    change_lines(scene, no_result)
    story = tell(scene, tmp_path)
    stale = ["One it is.", "Count how?", "It is three."]
    assert violations(story.unrepaired.request) == [FOREIGN + thought for thought in stale]
    hold(story, truth, {LOST: None})
    forewarned(story, truth)
    sent = str(story.repaired.request["messages"])
    assert "Where am I?" in sent and not any(thought in sent for thought in stale)


def test_what_stands_behind_a_loss_goes_with_the_repair_of_the_chain(tmp_path: Path) -> None:
    require(CLAUDE_2_1_197)
    scene = claude_scenes.thoughtful(CLAUDE_2_1_197, tmp_path / "home")
    truth = scene.truth
    lines = scene.file.read_bytes().splitlines(keepends=True)
    lost = {"assistant Looking.": claude_faults.reply(lines, "Looking.") + 1}
    change_lines(scene, cut_text)
    story = tell(scene, tmp_path)
    stale = ["One it is.", "Count how?", "It is three."]
    hold(story, truth, lost)
    forewarned(story, truth)
    sent = str(story.repaired.request["messages"])
    assert "Where am I?" in sent and not any(thought in sent for thought in stale)


def test_an_answer_at_the_end_leaves_all_thinking_as_it_is(tmp_path: Path) -> None:
    require(CLAUDE_2_1_197)
    scene = claude_scenes.killed_in_thoughtful_tool(CLAUDE_2_1_197, tmp_path / "home")
    story = killed(scene, tmp_path / "story")
    sent = str(story.repaired.request["messages"])
    assert all(t in sent for t in ("Where am I?", "One it is.", "It is three.", "Deploy how?"))


def test_in_a_turn_that_is_still_open_it_stays_and_the_session_is_forked(tmp_path: Path) -> None:
    require(CLAUDE_2_1_197)
    scene = claude_scenes.killed_in_thoughtful_tool(CLAUDE_2_1_197, tmp_path / "home")
    truth = scene.truth
    change_lines(scene, no_result)
    old, journal = scene.file.read_bytes(), tmp_path / "journal"
    plan = api.plan(Scope((str(scene.store),)), Wanted(), tmp_path / "plan.json")
    (unit,) = plan.units
    assert unit.fork is not None and "its turn is still open" in unit.fork.why
    assert [told.after.legal for told in unit.sessions] == [False]
    assert api.apply(tmp_path / "plan.json", journal).exit_code in (0, 1)
    assert scene.file.read_bytes() == old
    sent = replace(scene, session=unit.fork.session).resume(ASKED, {"text": "All of it."}).request
    assert set(truth) <= set(facts.of_request(sent))
    left = violations(sent)
    assert left and all(text.startswith(FOREIGN) for text in left), "as the plan says"
