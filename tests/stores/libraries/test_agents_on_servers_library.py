"""The OpenAI Agents SDK on PostgreSQL and MariaDB: what it left out it sends after a repair."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import running
from library_venv import AGENTS_ON_SERVERS, play, play_until_killed, why_not
from running import Base, Running
from server_desk import Desk

from suture import api
from suture.model.answer import MARK

pytestmark = pytest.mark.libraries

SCRIPT = "play_agents_on_servers.py"


def unavailable(reason: str | None) -> None:
    if reason is None:
        return
    if os.environ.get("SUTURE_NO_SKIP"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module", params=running.DIALECTS)
def server(request: pytest.FixtureRequest) -> Iterator[Running]:
    unavailable(running.missing(request.param))
    unavailable(why_not(AGENTS_ON_SERVERS))
    pytest.importorskip({"postgresql": "psycopg", "mysql": "pymysql"}[request.param])
    with running.started(request.param) as found:
        yield found


@pytest.fixture
def desk(server: Running, tmp_path: Path) -> Desk:
    """On PostgreSQL the SDK makes its tables itself."""
    if server.dialect == "mysql":
        return Desk(server.database("agents"), tmp_path)
    base = server.empty("agents")
    base.run(f'grant all on schema public to "{running.USER}"')
    return Desk(base, tmp_path)


def killed(base: Base, scene: str) -> None:
    play_until_killed(SCRIPT, "write", base.dialect, base.url, scene)


def loaded(base: Base) -> list[dict[str, Any]]:
    """The next model input; what was asked is kept."""
    found: list[dict[str, Any]] = play(SCRIPT, "load", base.dialect, base.url)
    return found


def ids(items: list[dict[str, Any]], kind: str) -> list[str]:
    return [item["call_id"] for item in items if item.get("type") == kind]


def repaired(desk: Desk) -> api.Applied:
    desk.plan()
    applied = desk.apply()
    assert applied.exit_code == 0, applied.outcomes
    return applied


@pytest.mark.parametrize("scene", ["tail", "middle"])
def test_the_sdk_sends_calls_that_it_left_out(desk: Desk, scene: str) -> None:
    killed(desk.base, scene)
    before = loaded(desk.base)
    assert ids(before, "function_call") == ["c1"]
    assert {one.rule for one in desk.found()} == {"orphan-call-mid"}
    dump = desk.base.dump()

    applied = repaired(desk)
    assert desk.found() == []
    api.undo(applied.journal, desk.journal)
    assert desk.base.dump() == dump

    repaired(desk)
    after = loaded(desk.base)
    assert ids(after, "function_call") == ["c1", "rome", "oslo"]
    assert ids(after, "function_call_output") == ["c1", "rome", "oslo"]
    outputs = [i["output"] for i in after if i.get("type") == "function_call_output"]
    assert [text.startswith(MARK) for text in outputs] == [False, True, True]
    kept = [item for item in after if item in before]
    assert kept[:-1] == before, "what was sent stays, in its order, and one question more"
    assert desk.found() == []


def test_an_output_without_a_call_is_no_longer_sent(desk: Desk) -> None:
    killed(desk.base, "stray")
    assert ids(loaded(desk.base), "function_call_output") == ["c1", "gone"]
    repaired(desk)
    assert ids(loaded(desk.base), "function_call_output") == ["c1"]


def test_nothing_changes_if_the_sdk_went_on_after_the_plan(desk: Desk) -> None:
    killed(desk.base, "tail")
    desk.plan()
    loaded(desk.base)
    dump = desk.base.dump()
    assert desk.apply().exit_code == 4
    assert desk.base.dump() == dump
