"""One damaged session: resumed as it is, repaired, resumed twice more, and checked at last."""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import facts
import harness
import pytest
from facts import Fact, Facts
from harness import Run
from legality import violations
from packages import Client
from scene import Scene

from suture import api
from suture.model.finding import Finding, Severity
from suture.model.place import Row, Span
from suture.model.plan import Plan
from suture.model.report import Report, SessionState
from suture.model.scope import Scope, Wanted

MARK = "[suture]"
ASKED = "What do you know?"


def require(client: Client) -> None:
    """Skip, with the reason, where the client cannot be run; fail where skips are not allowed."""
    reason = harness.why_not(client)
    if reason is not None:
        text = f"{client.name} {client.version} is not run: {reason}"
        if os.environ.get("SUTURE_NO_SKIP"):
            pytest.fail(text)
        pytest.skip(text)


@dataclass(frozen=True, slots=True)
class Story:
    scene: Scene
    report: Report  # of the damaged session
    plan: Plan
    unrepaired: Run
    repaired: Run
    again: Run
    last: Report  # after both resumes

    @property
    def before(self) -> Facts:
        """What reaches the model without a repair; nothing where the client refuses."""
        sent = self.unrepaired.requests
        return facts.of_request(sent[0]) if sent else {}

    @property
    def after(self) -> Facts:
        return facts.of_request(self.repaired.request)

    @property
    def findings(self) -> list[Finding]:
        """All that the plan names, done or skipped."""
        return [
            finding
            for unit in self.plan.units
            for finding in (
                *(f for step in unit.steps for f in step.findings),
                *(skip.finding for skip in unit.skipped),
            )
        ]

    @property
    def said(self) -> SessionState:
        return next(s for s in self.report.sessions if s.id == self.scene.session)

    def names(self, fact: Fact, line: int | None) -> bool:
        """Whether the plan names a loss, by its id or by the line where it stood."""
        return any(_names(finding, fact.id, line) for finding in self.findings)


def _names(finding: Finding, id: str | None, line: int | None) -> bool:
    if id is not None and id in finding.ids:
        return True
    match finding.place:
        case Span(line=at):
            return at == line
        case Row(key=key):
            return id is not None and json.loads(key).get("id") == id
        case None:
            return False


def tell(scene: Scene, folder: Path, take: Collection[int] = ()) -> Story:
    """Repairs `scene` in place; the unrepaired copy is resumed beside it."""
    untouched = scene.copy(folder / "unrepaired")
    unrepaired = untouched.resume(ASKED, {"text": "All of it."})
    scope = Scope((str(scene.store),))
    report = api.check(scope, folder / "journal")
    plan = api.plan(scope, Wanted(take=take), folder / "plan.json")
    assert plan.refused == (), "a killed client is no writer"
    applied = api.apply(folder / "plan.json", folder / "journal")
    assert applied.exit_code in (0, 1), applied.outcomes
    repaired = scene.resume(ASKED, {"text": "All of it."})
    again = scene.resume("And now?", {"text": "The same."})
    last = api.check(scope, folder / "journal")
    return Story(scene, report, plan, unrepaired, repaired, again, last)


def hold(
    story: Story, truth: Facts, lost: Mapping[str, int | None], remain: Sequence[str] = ()
) -> None:
    """The law of every repair. `truth`: what the session held before it was damaged; `lost`: the
    labels of what no repair can bring back, with the line that the plan must name for each;
    `remain`: rules that still find something."""
    sent = story.repaired.request
    assert violations(sent) == []
    assert violations(story.again.request) == []
    for label, fact in truth.items():
        _reaches(story, label, fact, lost)
    for label, fact in story.after.items():
        kind, _, name = label.partition(" ")
        if kind == "call" and f"result {name}" not in truth:
            answer = story.after[f"result {name}"].text
            assert answer.startswith(MARK), f"{label} got no answer"
        if kind == "result" and label not in truth:
            assert fact.text.startswith(MARK), f"{label} is made up"
    taken = set(story.before) - set(story.after) - FILLERS
    assert taken - {label for label in story.before if label not in truth} == set()
    later = facts.of_request(story.again.request)
    assert [label for label in story.after if label not in later] == []
    shared = facts.agree(sent, story.again.request)
    assert shared >= len(facts.comparable(sent)) - 1, "what was sent once is sent again"
    left = {r.finding.rule for r in story.last.findings if r.finding.severity > Severity.INFO}
    assert left == set(remain), "what a check finds after two resumes"


def _reaches(story: Story, label: str, fact: Fact, lost: Mapping[str, int | None]) -> None:
    if label not in lost:
        assert label in story.after, f"{label} does not reach the model"
        sent = story.after[label].text
        assert sent == fact.text or (sent.startswith(MARK) and fact.text in sent), label
        return
    assert story.names(fact, lost[label]), f"the plan does not name the loss of {label}"
    if label in story.after:
        assert story.after[label].text.startswith(MARK), f"{label} cannot be known"


# What a client says by itself where it finds a turn without an end, or a message without content.
FILLERS = {
    "user Continue from where you left off.",
    "assistant No response requested.",
    "assistant [Tool use interrupted]",
    "user (no content)",
}


def unchanged_before(story: Story, healthy: dict[str, Any]) -> None:
    """The repair touches no message before the first that the damage touches."""
    if story.unrepaired.requests:
        damaged = facts.agree(story.unrepaired.request, healthy)
        assert facts.agree(story.repaired.request, healthy) >= damaged


def forewarned(story: Story, truth: Facts) -> None:
    """What `check` says of a resume is what the client did."""
    resume = story.said.resume
    if not (story.unrepaired.requests and story.unrepaired.ended):
        assert resume.resumes in ("no", "unknown"), "the client refused the session"
        return
    assert resume.resumes in ("yes", "unknown"), "the client resumed the session"
    missing = [label for label in truth if label not in story.before]
    if missing:
        told = [item.on_resume for item in story.report.findings if item.on_resume]
        assert told or resume.loses, f"check does not say that {missing} is lost on resume"
    if violations(story.unrepaired.request):
        assert story.said.legal is False, "check does not say that the request is illegal"
