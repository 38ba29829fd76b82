"""LangGraph judges: what is called damage stops its graph, what is called legal it goes on with.

It keeps its threads in SQLite and in PostgreSQL, is killed on the way, and loads them again.
"""

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import running
from library_venv import LANGGRAPH, play, play_until_killed, why_not
from running import Base, Running

from suture import api
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.libraries

SCRIPT = "play_langgraph.py"
KINDS = ("sqlite", "postgres")
TALK = ["human hello", "ai done", "human deploy it", "ai on it"]
ANSWERED = [*TALK, "tool call-1", "tool call-2", "ai done"]
REFUSED = "do not have a corresponding ToolMessage"


def unavailable(reason: str | None) -> None:
    if reason is None:
        return
    if os.environ.get("SUTURE_NO_SKIP"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Running]:
    unavailable(running.missing("postgresql"))
    pytest.importorskip("psycopg")
    with running.started("postgresql") as found:
        yield found


class Thread(ABC):
    """What a killed graph left, and what a graph makes of it."""

    kind: str
    folder: Path
    place: str

    def killed(self, scene: str) -> None:
        play_until_killed(SCRIPT, "write", self.kind, self.place, scene)

    def go_on(self, how: str) -> Any:
        """Here, which changes what is kept."""
        return play(SCRIPT, "go_on", self.kind, self.place, how)

    @abstractmethod
    def twin(self) -> "Thread": ...

    @abstractmethod
    def evidence(self) -> object: ...

    @property
    def scope(self) -> Scope:
        return Scope((self.place,), assume="dead")

    def found(self) -> list[str]:
        """And nothing that was kept is touched by looking at it."""
        before = self.evidence()
        report = api.check(self.scope, self.folder / "journal")
        assert self.evidence() == before
        items = [item.finding for item in report.findings]
        return [" ".join([one.severity.label, one.rule, *one.ids]) for one in items]


class InFile(Thread):
    kind = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "kept").mkdir(parents=True, exist_ok=True)
        self.place = str(folder / "kept" / "threads.db")

    def twin(self) -> Thread:
        other = self.folder / "twin"
        shutil.copytree(self.folder / "kept", other / "kept")
        return InFile(other)

    def evidence(self) -> object:
        files = sorted((self.folder / "kept").iterdir())
        return [(path.name, sha256(path.read_bytes()).hexdigest()) for path in files]


class OnServer(Thread):
    kind = "postgres"

    def __init__(self, folder: Path, server: Running, base: Base) -> None:
        self.folder, self.server, self.base = folder, server, base
        base.run(f'grant all on schema public to "{running.USER}"')
        self.place = base.url

    def twin(self) -> Thread:
        base = self.server.empty("langgraph", self.base.name)
        return OnServer(self.folder / "twin", self.server, base)

    def evidence(self) -> object:
        return self.base.dump()


@pytest.fixture(params=KINDS)
def thread(request: pytest.FixtureRequest, tmp_path: Path) -> Thread:
    unavailable(why_not(LANGGRAPH))
    if request.param == "sqlite":
        return InFile(tmp_path)
    server: Running = request.getfixturevalue("postgresql")
    return OnServer(tmp_path, server, server.empty("langgraph"))


def test_a_tool_that_failed_at_the_tail(thread: Thread) -> None:
    thread.killed("tail")
    assert thread.found() == ["error partial-parallel call-2"]
    asked = thread.twin().go_on("ask")
    assert REFUSED in asked["refused"]
    resumed = thread.go_on("resume")
    assert (resumed["refused"], resumed["after"]) == (None, ANSWERED)
    assert thread.found() == []


def test_a_graph_that_was_killed_in_its_tools_goes_on(thread: Thread) -> None:
    thread.killed("killed")
    assert thread.found() == ["info pending-call call-1", "info pending-call call-2"]
    resumed = thread.go_on("resume")
    assert (resumed["before"], resumed["after"]) == (TALK, ANSWERED)
    assert thread.found() == []


def test_an_interrupt_waits_for_its_answer(thread: Thread) -> None:
    thread.killed("interrupt")
    assert thread.found() == ["info pending-call call-2"]
    plan = api.plan(thread.scope, Wanted(), thread.folder / "plan.json")
    assert not any(unit.steps for unit in plan.units), "words of a person are still to come"
    said = thread.go_on("say yes")
    assert (said["interrupts"], said["refused"], said["after"]) == (1, None, ANSWERED)
    assert thread.found() == []


def test_a_thread_that_was_asked_on_instead_of_resumed(thread: Thread) -> None:
    thread.killed("killed")
    assert REFUSED in thread.go_on("ask")["refused"]
    found = thread.found()
    assert found == ["error orphan-call-mid call-1", "error orphan-call-mid call-2"]
    assert REFUSED in thread.twin().go_on("ask")["refused"], "and so every time"

    plan = api.plan(thread.scope, Wanted(), thread.folder / "plan.json")
    (unit,) = plan.units
    assert not unit.steps
    reasons = {skip.reason for skip in unit.skipped}
    assert any("update_state" in reason for reason in reasons), reasons

    answered = thread.go_on(" ".join(["answer", *(line.split(" ")[-1] for line in found)]))
    assert answered["refused"] is None
    results = ["tool call-1", "tool call-2"]
    assert answered["after"] == [*TALK, *results, "human and now?", "human and now?", "ai done"]
    assert thread.found() == []


def test_a_commit_that_was_not_lived_to_see(thread: Thread) -> None:
    thread.killed("commit")
    assert thread.found() == []
    asked = thread.go_on("ask")
    assert (asked["before"], asked["refused"]) == (TALK[:2], None)
    assert asked["after"] == [*TALK[:2], "human and now?", "ai done"]
