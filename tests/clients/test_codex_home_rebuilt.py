"""What Codex shows of a thread, and how it finds it, once suture has repaired its home."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import codex_faults
import facts
import harness
import pytest
import scenes
from codex_scenes import ask
from damage_done import Lines, change_lines
from packages import CODEX_0_150, CODEX_0_171, Client
from scene import Scene
from story import ASKED, require
from ways import CODEX

from suture import api
from suture.model.finding import Severity
from suture.model.report import Report
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.clients

CLIENTS = (CODEX_0_150, CODEX_0_171)
BOTH = pytest.mark.parametrize("client", CLIENTS, ids=lambda c: c.version)
NAME = "The shop"


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Client], Scene]:
    @cache
    def made(client: Client) -> Scene:
        return scenes.worked(client, tmp_path_factory.mktemp(client.id) / "home")

    return made


def turns_gone(scene: Scene) -> None:
    """The client has read past them and does not look back."""
    change(scene, "thread_history_1", "delete from thread_turns", "delete from thread_items")


def cursor_astray(scene: Scene) -> None:
    sql = "update thread_history_projection_state set next_rollout_byte_offset = {}"
    change(scene, "thread_history_1", sql.format("next_rollout_byte_offset + 1000"))


def bytes_moved(scene: Scene) -> None:
    """The repair of the rollout moves bytes that the turns are stored by."""

    def glued(lines: Lines) -> Lines:
        at = codex_faults.output(lines, "echo one")
        return [*lines[:at], lines[at][:-1] + lines[at + 1], *lines[at + 2 :]]

    change_lines(scene, glued)


def bytes_move_later(scene: Scene) -> None:
    """As the client has read the damaged rollout, every turn is stored where it stands."""
    bytes_moved(scene)
    for database in scene.store.glob("thread_history_1.sqlite*"):
        database.unlink()
    ask(scene, ("thread/resume", {"threadId": scene.session}))


def ordinal_twice(scene: Scene) -> None:
    change_lines(scene, codex_faults.ordinal_twice)


def change(scene: Scene, database: str, *statements: str) -> None:
    with closing(sqlite3.connect(scene.store / f"{database}.sqlite")) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0


def told(value: object) -> str | None:
    match value:
        case Client():
            return value.version
        case set():
            return ""
    return getattr(value, "__name__", None)


def shown(scene: Scene) -> list[tuple[str, int]]:
    """The turns that the client shows, each with the number of its items."""
    (answer,) = ask(scene, ("thread/read", {"threadId": scene.session, "includeTurns": True}))
    return [(turn["id"], len(turn["items"])) for turn in answer["thread"]["turns"]]


def repaired(scene: Scene, folder: Path) -> Report:
    """What was found, once all of it is repaired."""
    scope, journal = Scope((str(scene.store),)), folder / "journal"
    report = api.check(scope, journal)
    api.plan(scope, Wanted(), folder / "plan.json")
    applied = api.apply(folder / "plan.json", journal)
    assert applied.exit_code == 0, applied.outcomes
    return report


def assert_clean(scene: Scene, folder: Path) -> None:
    found = api.check(Scope((str(scene.store),)), folder / "journal").findings
    assert [i.finding for i in found if i.finding.severity > Severity.INFO] == []


def rules(report: Report) -> set[str]:
    return {i.finding.rule for i in report.findings if i.finding.severity > Severity.INFO}


DAMAGES: tuple[tuple[Callable[[Scene], None], set[str]], ...] = (
    (turns_gone, {"projection-stuck"}),
    (cursor_astray, {"projection-stuck"}),
    (bytes_moved, {"missing-newline", "projection-stuck"}),
    (ordinal_twice, {"ordinal-duplicate", "projection-stuck"}),
)
CASES = [
    *((client, *damage) for client in CLIENTS for damage in DAMAGES),
    (CODEX_0_171, bytes_move_later, {"missing-newline"}),
]


@pytest.mark.parametrize(("client", "damage", "found"), CASES, ids=told)
def test_all_turns_are_shown_again(
    client: Client,
    damage: Callable[[Scene], None],
    found: set[str],
    worked: Callable[[Client], Scene],
    tmp_path: Path,
) -> None:
    require(client)
    healthy = worked(client)
    before, sent = shown(healthy), healthy.copy(tmp_path / "healthy").resume(ASKED).request
    scene = healthy.copy(tmp_path / "home")
    damage(scene)
    assert rules(repaired(scene, tmp_path)) == found
    again = scene.resume(ASKED, {"text": "All of it."})
    assert facts.comparable(again.request)[:-1] == facts.comparable(sent)[:-1]
    after = shown(scene)
    assert after[:-1] == before, "what was shown is shown, and the new turn"
    assert_clean(scene, tmp_path)


@BOTH
def test_a_thread_is_listed_under_its_name_and_resumed_as_the_last(
    client: Client, worked: Callable[[Client], Scene], tmp_path: Path
) -> None:
    require(client)
    home = worked(client).copy(tmp_path / "home")
    harness.run(client, home.home, CODEX.new("A second thread."), [{"text": "Begun."}])
    (second,) = (r for r in rows(home) if r["id"] != home.session)
    scene = Scene(client, home.home, second["id"])
    ask(
        scene,
        ("thread/resume", {"threadId": scene.session}),
        ("thread/name/set", {"threadId": scene.session, "name": NAME}),
    )
    change(scene, "state_5", f"delete from threads where id = '{scene.session}'")
    assert rules(repaired(scene, tmp_path)) == {"index-missing-row"}
    (row,) = (r for r in rows(scene) if r["id"] == scene.session)
    changed = {column for column in row if row[column] != second[column]}
    times = {"created_at_ms", "updated_at", "updated_at_ms", "recency_at", "recency_at_ms"}
    assert changed - times == {"name"}, "the row is what the client had written"
    (listed,) = ask(scene, ("thread/list", {"sourceKinds": ["exec"]}))
    names = {thread["id"]: thread["name"] for thread in listed["data"]}
    assert names == {scene.session: NAME, home.session: None}
    size = scene.file.stat().st_size
    again = harness.run(client, scene.home, CODEX.again("--last", ASKED))
    assert "A second thread." in str(again.request), "the newest thread goes on"
    assert scene.file.stat().st_size > size
    assert_clean(scene, tmp_path)


def rows(scene: Scene) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(scene.store / "state_5.sqlite")) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("select * from threads")]
