"""Close what a test opened."""

from collections.abc import Iterator

import event_logs
import lax_databases
import lax_played
import pytest


@pytest.fixture(autouse=True)
def closed_desks() -> Iterator[None]:
    yield
    for opened in (event_logs.OPEN, lax_databases.OPEN, lax_played.OPEN):
        while opened:
            opened.pop().close()
