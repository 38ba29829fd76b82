"""What findings in databases say: of events as events, of a value as a value."""

import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copy

import pytest

from suture import api
from suture.model.finding import Severity
from suture.model.report import Report
from suture.model.scope import Scope

SAMPLES = Path(__file__).parents[2] / "sample_data"
NOW = 1_800_000_000_000_000


def spoiled(sample: str, folder: Path, sql: str) -> Path:
    path = Path(copy(next((SAMPLES / sample).glob("*.db")), folder))
    with closing(sqlite3.connect(path)) as database:
        database.execute(sql)
        database.commit()
    return path


def checked(sample: str, folder: Path, sql: str) -> Report:
    path = spoiled(sample, folder, sql)
    return api.check(Scope((str(path),), assume="dead", now=NOW), folder / "journal")


def test_events_that_are_absent_are_no_messages(tmp_path: Path) -> None:
    report = checked("opencode/healthy", tmp_path, "delete from event where seq between 5 and 8")
    said = [item.finding.message for item in report.findings]
    assert said == ["4 events are absent before event 9"]


@pytest.mark.parametrize(
    "sql", ["update session set permission = '[{'", "update project set sandboxes = '['"]
)
def test_of_a_row_that_others_hang_on_only_the_value_is_written(sql: str, tmp_path: Path) -> None:
    (one,) = checked("opencode/healthy", tmp_path, sql).findings
    assert one.repairs == ("write the value anew: from the event log, else empty (lossy)",)


@pytest.mark.parametrize(
    ("sample", "table"), [("opencode/healthy", "message"), ("crush/healthy", "sessions")]
)
def test_half_a_migration_is_not_passed_over(sample: str, table: str, tmp_path: Path) -> None:
    spoiled(sample, tmp_path, f"alter table {table} rename to {table}_new")
    copy(SAMPLES / "goose" / "healthy" / "sessions.db", tmp_path)
    (one,) = api.check(Scope((str(tmp_path),), assume="dead", now=NOW)).findings
    assert (one.finding.rule, one.finding.severity) == ("unreadable", Severity.ERROR)
    assert "not all of the tables are there" in one.finding.message


def test_another_program_may_call_its_database_the_same(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "crush.db")) as database:
        database.execute("create table candies (colour text)")
    copy(SAMPLES / "goose" / "healthy" / "sessions.db", tmp_path)
    assert api.check(Scope((str(tmp_path),), assume="dead", now=NOW)).findings == ()


def test_a_title_that_the_log_contradicts_loses_nothing_to_the_model(tmp_path: Path) -> None:
    report = checked("opencode/healthy", tmp_path, "update session set title = 'Mine'")
    assert [item.finding.rule for item in report.findings] == ["event-projection-differs"]
    assert report.sessions[0].resume.loses == ()


def test_a_crush_session_without_its_row_says_nothing_of_a_summary(tmp_path: Path) -> None:
    report = checked("crush/healthy", tmp_path, "delete from sessions")
    assert {item.finding.rule for item in report.findings} == {
        "session-meta-missing",
        "foreign-key",
    }
    assert {item.on_resume for item in report.findings} == {None}


def test_a_part_that_crush_may_not_know_leaves_open_whether_it_resumes(tmp_path: Path) -> None:
    added = 'replace(parts, \'{"type":"finish"\', \'{"type":"citation"},{"type":"finish"\')'
    report = checked("crush/healthy", tmp_path, f"update messages set parts = {added}")
    assert [item.finding.message for item in report.findings] == [
        "4 parts of the unknown type 'citation'"
    ]
    assert report.sessions[0].resume.resumes == "unknown"
