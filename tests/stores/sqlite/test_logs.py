"""What a crash leaves in the logs is read; what a damaged log holds back is told."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from damaged_files import SIZE, contents, crash, cut, frames, laxcode, write_over

from suture import api
from suture.model.condition import SOUND, Condition, Fault
from suture.model.errors import NothingToRead
from suture.model.finding import Finding, Severity
from suture.model.scope import Scope, Wanted
from suture.stores import DiskFiles


def add(*texts: str) -> list[str]:
    """Transactions of one message each."""
    return [
        f"insert into raw_message values ('s0', {100 + i}, 'user', '{text}', null, null, null, 'x')"
        for i, text in enumerate(texts)
    ]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def logged(home: Path) -> Path:
    """Four commits of one message each, that stand in the `-wal` alone."""
    path = laxcode(home / "s.db")
    crash(path, "wal", *add("one", "two", "three", "four"))
    return path


def look(path: Path) -> tuple[Condition, list[str]]:
    """The condition, and the messages that stores read; the files stay as they are."""
    before = contents(path.parent)
    files = DiskFiles()
    try:
        state = files.condition(str(path))
        with closing(files.sqlite(str(path))) as database:
            sql = "select content from raw_message where seq >= 100 order by seq"
            told = [text for (text,) in database.execute(sql)]
    finally:
        files.close()
    assert contents(path.parent) == before
    return state, told


def findings(path: Path, assume: str | None = "dead") -> list[Finding]:
    report = api.check(Scope((str(path),), assume=assume), path.parent.parent / "journal")
    wanted = {"wal-broken", "hot-journal", "db-corrupt"}
    return [item.finding for item in report.findings if item.finding.rule in wanted]


def commits(path: Path) -> list[int]:
    """Offsets of the frames that end a transaction."""
    return [at for at, _, size in frames(path) if size]


def test_rows_that_stand_in_the_wal_alone_are_read_and_are_no_finding(logged: Path) -> None:
    assert look(logged) == (SOUND, ["one", "two", "three", "four"])
    assert findings(logged) == []


def test_a_transaction_that_was_not_committed_is_no_damage(home: Path) -> None:
    path = laxcode(home / "s.db")
    # more pages than the cache takes: some are in the -wal before the commit
    crash(path, "wal", *add("one"), "update raw_message set content = content || 'x' --open")
    assert len(list(frames(path))) > commits(path)[-1] // SIZE
    assert look(path) == (SOUND, ["one"])


def test_the_frames_of_an_earlier_life_of_the_log_are_no_damage(home: Path) -> None:
    path = laxcode(home / "s.db")
    many = ["update raw_message set content = content || 'x'"]
    crash(path, "wal", *many, "pragma user_version = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("pragma wal_checkpoint(restart)")
        other.execute("begin")
        other.execute(add("one")[0])
        other.execute("commit")
        for name in ("s.db", "s.db-wal"):
            shutil.copyfile(home / name, home / f"c{name}")
    assert commits(home / "cs.db")[1:]
    assert look(home / "cs.db") == (SOUND, ["one"])


def test_commits_behind_a_damaged_frame_are_counted_and_won_back(logged: Path) -> None:
    first, second = commits(logged)[:2]
    write_over(logged.with_name("s.db-wal"), second + 24 + 300, b"garbage")
    state, told = look(logged)
    lost = sum(1 for at, _, _ in frames(logged) if at > first)
    assert state.faults[0] == Fault(
        "wal_broken",
        None,
        f"SQLite ignores 3 commits of the -wal in {lost} frames: a frame before them is damaged",
    )
    assert told == ["one", "two", "three", "four"]  # the page is written again by a later commit
    assert not state.lossless
    with closing(
        sqlite3.connect(shutil.copytree(logged.parent, logged.parent / "c") / "s.db")
    ) as it:
        sql = "select count(*) from raw_message where seq >= 100"
        assert it.execute(sql).fetchone() == (1,), "what a client would read"


def test_a_damaged_header_hides_the_whole_log(logged: Path) -> None:
    write_over(logged.with_name("s.db-wal"), 26, b"\xee")
    state, told = look(logged)
    (fault,) = state.faults
    assert "SQLite ignores" in fault.detail and "its header is damaged" in fault.detail
    assert told == ["one", "two", "three", "four"]


def test_half_of_the_last_write_is_no_damage(logged: Path) -> None:
    log = logged.with_name("s.db-wal")
    logged.with_name("s.db-shm").unlink()
    cut(log, commits(logged)[3] + 24 + 500)
    assert look(logged) == (SOUND, ["one", "two", "three"])


def test_a_copy_with_a_part_of_the_log_is_told_by_the_shm(logged: Path) -> None:
    cut(logged.with_name("s.db-wal"), commits(logged)[1] + 24 + SIZE)
    state, told = look(logged)
    (fault,) = state.faults
    assert (fault.kind, fault.serious, told) == ("wal_broken", True, ["one", "two"])
    assert "the -shm counts" in fault.detail
    (finding,) = findings(logged)
    assert finding.rule == "wal-broken"


def test_a_copy_without_its_log_is_told_by_the_shm(logged: Path) -> None:
    logged.with_name("s.db-wal").unlink()
    assert [fault.kind for fault in look(logged)[0].faults] == ["wal_broken"]


def test_a_log_that_an_exclusive_connection_took_in_is_not_missed(logged: Path) -> None:
    """It keeps its index in memory: the `-shm` of the killed one stays and counts its commits."""
    with closing(sqlite3.connect(logged)) as database, database:
        database.execute("pragma locking_mode = exclusive")
        database.execute(add("five")[0].replace("100", "104"))
    assert not logged.with_name("s.db-wal").exists()
    assert logged.with_name("s.db-shm").exists()
    assert look(logged) == (SOUND, ["one", "two", "three", "four", "five"])


def test_a_file_whose_rows_all_stand_in_a_log_that_was_not_copied_is_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"
    crash(path, "wal", "create table session (session_id text)")
    path.with_name("s.db-wal").unlink()
    path.with_name("s.db-shm").unlink()
    assert path.stat().st_size
    with pytest.raises(NothingToRead, match="the -wal that it is written through is not"):
        findings(path)


def test_a_log_whose_database_is_absent_is_told(logged: Path) -> None:
    logged.unlink()
    with pytest.raises(NothingToRead, match="copy it before a client starts"):
        findings(logged.parent)


@pytest.fixture
def unwritten(home: Path, tmp_path: Path) -> Path:
    """All that was ever committed, the tables too, stands in the `-wal`."""
    with closing(sqlite3.connect(laxcode(tmp_path / "s.db"))) as database:
        script = [
            line for line in database.iterdump() if line not in ("BEGIN TRANSACTION;", "COMMIT;")
        ]
    crash(home / "s.db", "wal", *script, *add("one", "two"))
    return home / "s.db"


def test_a_damaged_header_does_not_hide_what_kind_of_store_it_is(unwritten: Path) -> None:
    write_over(unwritten.with_name("s.db-wal"), 26, b"\xee")
    assert [finding.rule for finding in findings(unwritten)] == ["wal-broken"]
    assert look(unwritten)[1] == ["one", "two"]


def test_a_log_whose_database_file_is_empty_is_won_before_a_client_deletes_it(
    unwritten: Path, tmp_path: Path
) -> None:
    cut(unwritten, 0)
    (finding,) = findings(unwritten)
    assert "the database file is empty, and the next to open it deletes" in finding.message
    assert look(unwritten)[1] == ["one", "two"]
    scope, plan, journal = (
        Scope((str(unwritten),), assume="dead"),
        tmp_path / "p.json",
        tmp_path / "j",
    )
    before = contents(unwritten.parent)
    api.plan(scope, Wanted(take=(1,)), plan)
    applied = api.apply(plan, journal)
    assert applied.exit_code in (0, 1), applied.outcomes
    assert findings(unwritten) == [] and look(unwritten) == (SOUND, ["one", "two"])
    api.undo(applied.journal, journal)
    assert contents(unwritten.parent) == before


@pytest.fixture
def interrupted(home: Path) -> Path:
    """Killed in a transaction that had written pages of the main file."""
    path = laxcode(home / "s.db")
    crash(path, "delete", *add("one"), "update raw_message set content = 'half' --open")
    assert path.with_name("s.db-journal").stat().st_size
    assert b"half" in path.read_bytes()
    return path


def test_a_hot_journal_is_put_back_in_the_copy_and_told_as_a_note(interrupted: Path) -> None:
    state, told = look(interrupted)
    assert (told, state.is_damaged) == (["one"], False)
    (finding,) = findings(interrupted)
    assert (finding.rule, finding.severity) == ("hot-journal", Severity.INFO)


def test_a_journal_that_cannot_put_all_back_is_an_error(interrupted: Path) -> None:
    journal = interrupted.with_name("s.db-journal")
    write_over(journal, 512 + 4 + SIZE + 8 + 4, b"\xee" * SIZE)  # the second record
    hot = [finding for finding in findings(interrupted) if finding.rule == "hot-journal"]
    assert [finding.severity for finding in hot] == [Severity.ERROR]
    assert "can put back 1 of" in hot[0].message


def test_the_logs_of_a_living_writer_are_at_work(interrupted: Path) -> None:
    assert findings(interrupted, assume="live") == []
