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


CLOSED = (
    "update message set data = json_set(json_remove(data, '$.error'), '$.finish', 'stop') "
    "where data like '%APIError%';"
    "update part set data = json_remove(data, '$.tail_start_id');"
    "update part set data = json_set(data, '$.state.input', 'press') where data like '%callID%';"
    "delete from event; delete from event_sequence;"
)


@pytest.mark.parametrize("cut", [True, False])
def test_what_stands_before_a_compaction_stops_no_resume(cut: bool, tmp_path: Path) -> None:
    """The client sends such a call only where the compaction cuts nothing off."""
    path = tmp_path / "opencode.db"
    dangling = "update part set data = json_set(data, '$.tail_start_id', 'msg_gone') where %s"
    keep = "" if cut else dangling % "data like '%compaction%'"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(CASE.read_text("utf-8") + CLOSED + keep)
    report = api.check(Scope((str(path),), assume="dead"), tmp_path / "journal")
    (told,) = [item for item in report.findings if item.finding.rule == "malformed-call"]
    assert told.finding.message.endswith("; it is not sent any more") == cut
    (session,) = report.sessions
    assert session.legal is cut
