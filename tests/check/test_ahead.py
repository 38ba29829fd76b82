"""A large database is read while its pages are looked at: what comes of it is the same."""

import os
import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import sql_stores

from suture import api
from suture.model.report import Report
from suture.model.scope import Scope
from suture.run import looking
from suture.stores import DiskFiles, _disk

NOW = 1_800_000_000_000_000


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    sql_stores.make("laxcode", path, 2_000, 60)
    return path


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """How often a check looked, and whether ahead of the pages."""
    made: list[bool] = []

    def counted(scope: Scope, shares: int, ahead: bool) -> AbstractContextManager[Any]:
        made.append(ahead)
        return looking(scope, shares, ahead)

    monkeypatch.setattr("suture.checking.looking", counted)
    monkeypatch.setattr(_disk, "_AHEAD_FROM", 0)
    return made


def check(path: Path, jobs: int) -> Report:
    return api.check(Scope((str(path),), assume="dead", now=NOW, jobs=jobs))


def test_of_a_sound_file_once(database: Path, looks: list[bool]) -> None:
    apart, alone = check(database, 2), check(database, 1)
    assert looks == [True, False]
    assert apart == alone
    assert apart.verdict == "clean"


def test_of_damaged_pages_again(database: Path, looks: list[bool]) -> None:
    data = bytearray(database.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 8192] = b"\xff" * 8192
    database.write_bytes(data)
    apart, alone = check(database, 2), check(database, 1)
    assert looks == [True, False, False]
    assert apart == alone
    assert "db-corrupt" in {item.finding.rule for item in apart.findings}


def test_of_a_file_with_a_broken_log_once(tmp_path: Path, looks: list[bool]) -> None:
    case = Path(__file__).parents[1] / "cases" / "wal-broken" / "laxcode-frame" / "before"
    shutil.copytree(case, tmp_path / "store")
    apart = check(tmp_path / "store", 2)
    assert looks == [True]
    assert "wal-broken" in {item.finding.rule for item in apart.findings}


def test_a_look_that_dies_is_no_good_news(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_disk, "_AHEAD_FROM", 0)
    monkeypatch.setattr("suture.stores._look._look", lambda copy, told: os._exit(1))
    files = DiskFiles(ahead=True)
    try:
        files.sqlite_copy(str(database))
        assert not files.as_assumed()
    finally:
        files.close()
