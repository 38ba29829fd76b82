"""A connection that dies, a server that goes away, an apply that is killed: never half done."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import Base
from server_desk import Desk, environment

from suture import api
from suture.model.errors import NothingToRead
from suture.repair import server_apply
from suture.servers.connect import transaction
from suture.servers.failures import Lost
from suture.servers.server import Server

pytestmark = pytest.mark.servers

HERE = Path(__file__).parent


def killed_by_the_server(base: Base, server: Server) -> None:
    if base.dialect == "postgresql":
        (number,) = server.ask("select pg_backend_pid()")[0]
        base.run("select pg_terminate_backend(%s, 5000)", number)
    else:
        (number,) = server.ask("select connection_id()")[0]
        base.run("kill %s", int(str(number)))


def test_a_connection_that_dies_before_commit_changes_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Server.commit

    def dies(server: Server) -> None:
        killed_by_the_server(desk.base, server)
        commit(server)

    desk.plan()
    before = desk.base.dump()
    with monkeypatch.context() as patch:
        patch.setattr(Server, "commit", dies)
        applied = desk.apply()
    assert (applied.exit_code, applied.outcomes[0].status) == (5, "rolled_back")
    assert desk.base.dump() == before
    assert desk.apply().exit_code == 0


def committed_then_lost(server: Server) -> None:
    Server.run(server, "commit")
    raise Lost("the answer to COMMIT did not arrive")


def test_a_connection_that_dies_after_commit_was_done(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.plan()
    with monkeypatch.context() as patch:
        patch.setattr(Server, "commit", committed_then_lost)
        applied = desk.apply()
    assert (applied.exit_code, applied.outcomes[0].status) == (0, "applied")
    assert desk.found() == []


def test_the_next_command_tells_what_a_server_did_that_went_away(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It did COMMIT, and cannot be asked again for now."""
    opened = transaction
    calls: list[str] = []

    def once(path: str, *isolation: str) -> Any:
        calls.append(path)
        if len(calls) > 1:
            raise NothingToRead("nothing answers there")
        return opened(path, *isolation)

    desk.plan()
    before = desk.base.dump()
    with monkeypatch.context() as patch:
        patch.setattr(server_apply, "transaction", once)
        patch.setattr(Server, "commit", committed_then_lost)
        applied = desk.apply()
    assert applied.outcomes[0].status == "unfinished"
    assert desk.base.dump() != before
    assert any("apply --resume" in notice for notice in desk.notices())
    api.undo(applied.journal, desk.journal)
    assert desk.base.dump() == before
    assert not desk.notices()


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("way", ["resume", "undo"])
def test_a_killed_apply_is_settled(desk: Desk, moment: str, way: str) -> None:
    desk.plan()
    before = desk.base.dump()
    files = [str(desk.plan_file), str(desk.journal)]
    command = [sys.executable, str(HERE / "killed.py"), moment, *files]
    done = subprocess.run(command, env=environment(desk), capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    assert any(desk.last() in notice for notice in desk.notices())
    if way == "resume":
        applied = api.resume(desk.last(), desk.journal)
        assert (applied.exit_code, applied.outcomes[0].status) == (0, "applied")
        assert desk.found() == []
    else:
        api.undo(desk.last(), desk.journal)
        assert desk.base.dump() == before
    assert not desk.notices()
