"""Close the files that a test opened."""

from collections.abc import Iterator

import pytest
from event_logs import OPEN


@pytest.fixture(autouse=True)
def closed_desks() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()
