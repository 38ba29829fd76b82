"""Sessions of a large database, judged range by range: the report is as of one look at all."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sql_stores

from suture import api, merging, ranges
from suture.model.report import Report
from suture.model.scope import Scope

LOST = {
    "opencode": ("part", "message", "event_sequence", "session"),
    "openai-agents": ("agent_messages", "agent_sessions"),
    "google-adk": ("events", "sessions", "user_states"),
    "laxcode": ("raw_message", "context_window_message", "session"),
}
NOW = 1_800_000_000_000_000


@pytest.fixture(params=LOST)
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """About forty sessions, every thirtieth row lost."""
    path = tmp_path / f"{request.param}.db"
    sql_stores.make(request.param, path, 2_000, 60)
    draw = random.Random(7)
    with closing(sqlite3.connect(path)) as database:
        for table in LOST[request.param]:
            for (row,) in database.execute(f"select rowid from {table}").fetchall():
                if draw.random() < 1 / 30:
                    database.execute(f"delete from {table} where rowid = ?", (row,))
        database.commit()
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Sessions of many formats, with all that cases show of damage, some of it across files."""
    cases = Path(__file__).parents[1] / "cases"
    for rule in ("duplicate-thread", "orphan-call-tail", "cycle", "bad-json", "subagent-missing"):
        for number, before in enumerate(sorted(cases.glob(f"{rule}/*/before"))):
            shutil.copytree(before, tmp_path / f"{rule}-{number}")
    (tmp_path / "away.jsonl").symlink_to("nowhere")
    return tmp_path


def in_ranges(
    path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch, batch: int = 100
) -> tuple[Report, int]:
    made: list[object] = []
    merged = merging.merged

    def count(reports: list[object], *others: object) -> Report:
        made.extend(reports)
        return merged(reports, *others)  # type: ignore[arg-type]  # as it was called

    with monkeypatch.context() as patch:
        patch.setattr(ranges, "_FROM", 1)
        patch.setattr(ranges, "SHARE_FROM", 1)
        patch.setattr(ranges, "_ROWS", 1)
        patch.setattr(ranges, "merged", count)
        patch.setattr("suture.stores._sink._BATCH", batch)
        patch.setattr("suture.reading._TOGETHER", 4)
        return api.check(Scope((str(path),), jobs=jobs, now=NOW, assume="dead")), len(made)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_report_is_that_of_one_look(
    damaged: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = api.check(Scope((str(damaged),), now=NOW, assume="dead"))
    found, made = in_ranges(damaged, jobs, monkeypatch)
    assert made > 4
    assert len(whole.findings) > 20
    assert found == whole


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_too(files: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = api.check(Scope((str(files),), now=NOW, assume="dead"))
    with monkeypatch.context() as patch:
        patch.setattr(ranges, "_TASK", 1)
        found, made = in_ranges(files, jobs, patch, batch=1)
    assert made > 8
    assert {"duplicate-thread", "cycle"} < {item.finding.rule for item in whole.findings}
    assert found == whole


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_file_of_each_of_two_stores(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = Path(__file__).parents[1] / "cases" / "bad-json"
    for name in ("claude-child-hangs-on-it", "codex"):
        shutil.copytree(cases / name / "before", tmp_path / name)
    whole = api.check(Scope((str(tmp_path),), now=NOW, assume="dead"))
    assert len({source.store for source in whole.sources}) == len(whole.sources) == 2
    found, _ = in_ranges(tmp_path, jobs, monkeypatch)
    assert found == whole


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_fills_no_range_is_judged_together(
    files: Path, damaged: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Scope((str(files), str(damaged)), jobs=jobs, now=NOW, assume="dead")
    whole = api.check(both)
    monkeypatch.setattr(ranges, "_FROM", 1)
    monkeypatch.setattr(ranges, "SHARE_FROM", 1)
    monkeypatch.setattr(ranges, "merged", lambda *_: pytest.fail("judged apart"))
    assert api.check(both) == whole


def test_a_small_database_is_judged_at_once(damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "_ranges", lambda *_: pytest.fail("judged in ranges"))
    assert api.check(Scope((str(damaged),), now=NOW)).findings


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told(files: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int, int, int]] = []
    monkeypatch.setattr(ranges, "SHARE_FROM", 1)
    monkeypatch.setattr(ranges, "_TASK", 1)
    scope = Scope((str(files),), jobs=jobs, now=NOW, progress=lambda *seen: told.append(seen))
    api.check(scope)
    size, all_sizes, units, all_units = told[-1]
    assert size == all_sizes > 0
    assert units == all_units > 8
    assert told == sorted(told)


def test_newer_sessions_of_a_large_database(damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = Scope((str(damaged),), jobs=1, now=NOW, assume="dead", since=1)
    whole = api.check(scope)
    monkeypatch.setattr(ranges, "_FROM", 1)
    assert len(whole.sessions) > 8
    assert api.check(scope) == whole


@pytest.mark.parametrize("damaged", ["opencode"], indirect=True)
def test_what_blocks_a_whole_database_blocks_each_of_its_sessions(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(damaged)) as database, database:
        database.execute("update project set sandboxes = '['")
    scope = Scope((str(damaged),), jobs=1, now=NOW, assume="dead")
    whole = api.check(scope)
    monkeypatch.setattr(ranges, "_FROM", 1)
    assert {state.resume.resumes for state in whole.sessions} == {"no"}
    assert api.check(scope) == whole
