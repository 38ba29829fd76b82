"""What every client goes through: a healthy session with a fault put into it, and a killed one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import facts
import pytest
from damage_done import Fault
from facts import Fact, Facts
from packages import Client
from scene import Scene
from scenes import worked
from story import ASKED, Story, forewarned, hold, tell, unchanged_before


@dataclass(frozen=True, slots=True)
class Healthy:
    scene: Scene
    truth: Facts
    request: dict[str, Any]


def resumed(client: Client, folders: pytest.TempPathFactory) -> Healthy:
    """A session that ended well, with the request of a resume."""
    folder = folders.mktemp(client.id)
    scene = worked(client, folder / "home")
    truth = scene.truth
    sent = scene.copy(folder / "resumed").resume(ASKED, {"text": "All of it."}).request
    assert set(truth) <= set(facts.of_request(sent)), "a healthy session loses nothing"
    return Healthy(scene, truth, sent)


def endure(origin: Healthy, fault: Fault, folder: Path) -> Story:
    scene = fault.put_into(origin.scene, folder / "home")
    truth, lost = fault.leaves(origin.truth), fault.lines(scene)
    story = tell(scene, folder, fault.take)
    hold(story, truth, lost, fault.left)
    for label, text in fault.restored.items():
        assert text in story.after[label].text, f"{label} is not what the store proves"
    if fault.whole:
        assert facts.comparable(story.repaired.request) == facts.comparable(origin.request)
    unchanged_before(story, origin.request)
    if fault.told:
        forewarned(story, truth)
    return story


def killed(scene: Scene, folder: Path) -> Story:
    folder.mkdir(exist_ok=True)
    truth = scene.truth
    calls = [fact for label, fact in truth.items() if label.startswith("call ")]
    unanswered = [fact for fact in calls if f"result {fact.label[5:]}" not in truth]
    story = tell(scene, folder)
    hold(story, truth, {})
    forewarned(story, truth)
    for fact in unanswered:
        assert story.names(fact, None), f"the plan does not name {fact.label}"
    first = min((_place(story.repaired.request, fact) for fact in unanswered), default=0)
    assert facts.agree(story.unrepaired.request, story.repaired.request) >= first
    return story


def _place(request: dict[str, Any], fact: Fact) -> int:
    """The message that makes a call."""
    messages = facts.comparable(request)
    return next(n for n, message in enumerate(messages) if str(fact.id) in message)
