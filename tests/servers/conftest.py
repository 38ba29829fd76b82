"""A server for the whole run, a database for each test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import running
from running import DIALECTS, Base, Running
from server_desk import ORPHANS, Desk, filled

Make = Callable[[str], Base]


@pytest.fixture(scope="session", params=DIALECTS)
def server(request: pytest.FixtureRequest) -> Iterator[Running]:
    dialect: str = request.param
    if why := running.missing(dialect):
        if os.environ.get("SUTURE_NO_SKIP"):
            pytest.fail(why)
        pytest.skip(why)
    pytest.importorskip({"postgresql": "psycopg", "mysql": "pymysql"}[dialect])
    with running.started(dialect) as found:
        yield found


@pytest.fixture
def database(server: Running) -> Make:
    return server.database


@pytest.fixture(params=[*ORPHANS])
def desk(request: pytest.FixtureRequest, database: Make, tmp_path: Path) -> Desk:
    """A session whose last call has no answer."""
    return filled(database(request.param), ORPHANS[request.param], tmp_path)
