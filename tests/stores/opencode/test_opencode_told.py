"""What is told of a damaged OpenCode session, and that nothing hides another one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from opencode_samples import LAST, NOW, PART, SAYS_LATER, damaged, found

from suture import api
from suture.model.scope import Scope


def test_one_unreadable_row_hides_no_other_session(tmp_path: Path) -> None:
    path = damaged(tmp_path, f"UPDATE part SET data = x'00' WHERE {PART}")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "INSERT INTO session (id, project_id, slug, directory, title, version, "
            "time_created, time_updated) VALUES ('ses_two', 'global', 's', '/', 't', '1', 1, 1)"
        )
    scope = Scope((str(path),), assume="dead", now=NOW)
    assert {line.id for line in api.sessions(scope)} == {
        "ses_two",
        "ses_dd7ae5facffeciRpBS8EZgp2pn",
    }


def test_an_event_whose_id_is_no_text_breaks_nothing(tmp_path: Path) -> None:
    """Half of a UTF-16 pair can be asked for in no table."""
    path = damaged(
        tmp_path,
        "update event set data = replace(data, 'prt_22851ab2c001', '\\udc00') "
        "where data like '%prt_22851ab2c001%'",
    )
    with closing(sqlite3.connect(path)) as database:
        (changed,) = database.execute(
            "select count(*) from event where data like '%\\udc00%'"
        ).fetchone()
    assert changed
    assert found(path, tmp_path / "journal")


@pytest.mark.parametrize(
    ("sql", "resumes"),
    [
        ("", "yes"),
        ("UPDATE project SET sandboxes = '['", "no"),  # blocks every session of the project
        (f"UPDATE part SET data = json_remove(data, '$.state.output') WHERE {PART}", "no"),
        (f"UPDATE message SET {SAYS_LATER} WHERE id = {LAST}", "no"),
        (f"UPDATE message SET time_created = time_created + 999 WHERE id = {LAST}", "yes"),
    ],
)
def test_what_the_client_does_on_resume_is_told(sql: str, resumes: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, f"{sql}; DELETE FROM event; DELETE FROM event_sequence")
    scope = Scope((str(path),), assume="dead", now=NOW)
    (state,) = api.check(scope, tmp_path / "journal").sessions
    assert state.resume.resumes == resumes


def test_a_reply_that_a_kill_left_without_parts_is_only_unfinished(tmp_path: Path) -> None:
    sql = (
        f"DELETE FROM part WHERE message_id = {LAST}; UPDATE message SET data = "
        f"json_remove(data, '$.finish', '$.time.completed') WHERE id = {LAST}; "
        "DELETE FROM event; DELETE FROM event_sequence; "
        "UPDATE session SET tokens_input = 20, tokens_output = 10"
    )
    assert found(damaged(tmp_path, sql), tmp_path / "journal") == {"unfinished-message"}
