"""How a compaction of OpenCode ended is told as it was: killed, aborted, or refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from suture import api
from suture.model.scope import Scope

CASE = Path(__file__).parents[2] / "cases/window-ahead/opencode-refused/before/opencode.db.sql"
ERROR = (
    "update message set data = json_set(data, '$.error.name', '{}') where data like '%APIError%'"
)
KILLED = (
    "update message set data = json_remove(data, '$.error') where data like '%APIError%'; "
    "delete from event; delete from event_sequence"
)
TAIL = "update part set data = json_remove(data, '$.tail_start_id')"
CUT = "its summary stands for nothing, and what stands before the messages that it keeps is cut off"


@pytest.mark.parametrize(
    ("change", "message", "loses_the_head"),
    [
        ("", f"a compaction failed (APIError): {CUT}", True),
        (TAIL, "a compaction failed (APIError): its summary stands for nothing", False),
        (
            ERROR.format("MessageAbortedError"),
            "a compaction was aborted: its summary stands for nothing",
            False,
        ),
        (
            KILLED,
            "a compaction was begun and not finished: its summary stands for nothing",
            False,
        ),
    ],
)
def test_a_compaction_is_said_to_have_ended_as_it_did(
    change: str, message: str, loses_the_head: bool, tmp_path: Path
) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(CASE.read_text("utf-8") + change)
    found = api.check(Scope((str(path),), assume="dead"), tmp_path / "journal").findings
    (told,) = [item for item in found if item.finding.rule == "window-ahead"]
    assert told.finding.message == message
    assert ("no summary stands for it" in (told.on_resume or "")) == loses_the_head
