"""A damaged database is replaced by a new file whole or not at all, and comes back by bytes."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from damaged_files import adk, crash, laxcode, leaves, opencode, overwrite

from suture import api
from suture.model.errors import StaleStore
from suture.model.files import Writer
from suture.model.operation import Safety
from suture.model.plan import Plan
from suture.model.scope import Scope, Wanted
from suture.repair import disk, verify
from suture.repair.applier import Applied
from suture.stores import DiskFiles
from suture.stores.sqlite import read as file_store

Bytes = dict[str, tuple[bytes, int, int]]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.repair.applier.PAUSE", 0)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def scope(path: Path) -> Scope:
    return Scope((str(path),), assume="dead")


def planned(path: Path, *take: int) -> Plan:
    return api.plan(scope(path), Wanted(take=take), path.parent.parent / "plan.json")


def applied(path: Path, **options: bool) -> Applied:
    folder = path.parent.parent
    return api.apply(folder / "plan.json", folder / "journal", **options)


def undo(path: Path, id: str | None) -> None:
    api.undo(id, path.parent.parent / "journal")


def found(path: Path) -> list[str]:
    report = api.check(scope(path), path.parent.parent / "journal")
    return sorted({item.finding.rule for item in report.findings})


def contents(folder: Path) -> Bytes:
    return {
        path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in sorted(folder.iterdir())
    }


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
        return int(database.execute(f"select count(*) from {table}").fetchone()[0])


@pytest.mark.parametrize(
    ("make", "table", "index"),
    [
        (opencode, "part", "part_message_id_id_idx"),
        (laxcode, "raw_message", "sqlite_autoindex_raw_message_1"),
        (adk, "events", "sqlite_autoindex_events_1"),
    ],
)
def test_a_damaged_index_is_made_again_without_asking(
    make: Callable[[Path], Path], table: str, index: str, home: Path
) -> None:
    path = make(home / "s.db")
    rows = count(path, table)
    overwrite(path, [leaves(path, index)[1]])
    path.chmod(0o640)
    before = contents(home)
    plan = planned(path)
    assert contents(home) == before
    (step,) = (step for unit in plan.units for step in unit.steps)
    assert (step.safety, step.cache_class) == (Safety.SAFE, "envelope")
    done = applied(path)
    assert done.exit_code == 0, done.outcomes
    assert count(path, table) == rows
    assert path.stat().st_mode & 0o777 == 0o640
    assert found(path) == []
    undo(path, done.journal)
    assert contents(home) == before


@pytest.mark.parametrize(
    ("make", "table"), [(opencode, "part"), (laxcode, "raw_message"), (adk, "events")]
)
def test_a_damaged_table_needs_a_person_who_is_shown_what_is_lost(
    make: Callable[[Path], Path], table: str, home: Path
) -> None:
    path = make(home / "s.db")
    rows = count(path, table)
    overwrite(path, [leaves(path, table)[2]])
    before = contents(home)
    plan = planned(path)
    assert not any(unit.steps for unit in plan.units), "nor is any row of a damaged file repaired"
    assert "rows are lost" in plan.units[0].skipped[0].finding.message
    planned(path, 1)
    done = applied(path)
    assert "applied" in {outcome.status for outcome in done.outcomes}
    assert rows - 20 < count(path, table) < rows
    assert "db-corrupt" not in found(path)
    undo(path, done.journal)
    assert contents(home) == before


def with_log(home: Path) -> Path:
    """The last message stands in the `-wal` alone, and an index is damaged."""
    path = laxcode(home / "s.db")
    overwrite(path, [leaves(path, "idx_window")[1]])
    crash(path, "wal", "insert into raw_message values ('s0',99,'user','last',null,null,null,'x')")
    return path


def test_what_stands_in_the_wal_alone_is_in_the_new_file_and_undo_brings_the_wal_back(
    home: Path,
) -> None:
    path = with_log(home)
    before = contents(home)
    assert before["s.db-wal"][0]
    planned(path)
    done = applied(path)
    assert (done.outcomes[0].status, done.outcomes[0].reason) == ("applied", None)
    assert not path.with_name("s.db-wal").exists()
    assert count(path, "raw_message where content = 'last'") == 1
    undo(path, done.journal)
    assert contents(home) == before


def test_a_hole_in_the_wal_is_closed_by_a_person(home: Path) -> None:
    path = laxcode(home / "s.db")
    sql = "insert into raw_message values ('s0',{},'user','{}',null,null,null,'x')"
    crash(path, "wal", *(sql.format(n, n) for n in (97, 98, 99)))
    with path.with_name("s.db-wal").open("r+b") as log:
        log.seek(32 + 24 + 100)
        log.write(b"\xee")
    before = contents(home)
    assert "wal-broken" in found(path)
    planned(path, 1)
    done = applied(path)
    assert count(path, "raw_message where seq > 96") == 3
    assert "wal-broken" not in found(path)
    undo(path, done.journal)
    assert contents(home) == before


def test_the_same_rows_in_other_bytes_can_be_undone_other_rows_cannot(home: Path) -> None:
    path = opencode(home / "s.db")
    overwrite(path, [leaves(path, "part_message_id_id_idx")[1]])
    before = contents(home)
    planned(path)
    done = applied(path)
    fresh = path.read_bytes()
    for title in ("other", "title"):
        _rename(path, title)
    kept = path.read_bytes()
    assert kept != fresh
    _rename(path, "other")
    with pytest.raises(StaleStore):
        undo(path, done.journal)
    path.write_bytes(kept)
    undo(path, done.journal)
    assert contents(home) == before


def _rename(path: Path, title: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("update session set title = ?", (title,))


def test_a_file_that_changed_after_the_plan_is_left_alone(home: Path) -> None:
    path = opencode(home / "s.db")
    overwrite(path, [leaves(path, "part_message_id_id_idx")[1]])
    planned(path)
    overwrite(path, [leaves(path, "part_message_id_id_idx")[2]])
    before = contents(home)
    assert applied(path).exit_code == 4
    assert contents(home) == before


def test_a_client_that_has_it_open_is_never_overruled(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = opencode(home / "s.db")
    overwrite(path, [leaves(path, "part_message_id_id_idx")[1]])
    planned(path)
    before = contents(home)
    monkeypatch.setattr(file_store, "database_writers", lambda _: [Writer("pid 1 has it open", 1)])
    assert applied(path, force_live=True).exit_code == 6
    assert contents(home) == before


def test_a_network_file_system_is_refused_unless_forced(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = opencode(home / "s.db")
    overwrite(path, [leaves(path, "part_message_id_id_idx")[1]])
    planned(path)
    before = contents(home)
    monkeypatch.setattr(verify, "network_kind", lambda _: "nfs4")
    refused = applied(path)
    assert (refused.exit_code, refused.journal) == (6, None)
    assert "lies on nfs4" in str(refused.outcomes[0].reason)
    assert contents(home) == before
    assert applied(path, force_network=True).exit_code == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("settle", ["resume", "undo"])
def test_a_kill_at_any_point_leaves_each_file_old_or_new(home: Path, settle: str) -> None:
    path = with_log(home)
    before = contents(home)
    planned(path)
    kept = shutil.copytree(home, home.parent / "kept")
    fresh = _after(path, kept)
    for k in range(200):
        shutil.rmtree(home)
        shutil.copytree(kept, home)
        shutil.rmtree(home.parent / "journal", ignore_errors=True)
        if not _killed(path, k):
            break
        state = contents(home)
        assert state["s.db"][0] in (before["s.db"][0], fresh)
        if state["s.db"][0] == fresh:
            assert "s.db-wal" not in state, "the old log over the new file would damage it"
        open_ones = [e for e in api.journal_entries(home.parent / "journal") if e.unfinished]
        for entry in open_ones:
            if settle == "undo":
                undo(path, entry.id)
                assert contents(home) == before
            else:
                api.resume(entry.id, home.parent / "journal")
                now = contents(home)
                assert now == before or now["s.db"][0] == fresh
        assert not [name for name in contents(home) if name.startswith(".")]
    else:
        raise AssertionError("it never came to its end")
    assert k > 20


def _after(path: Path, kept: Path) -> bytes:
    """What the whole apply makes of it, tried elsewhere."""
    plan = api.read_plan(path.parent.parent / "plan.json")
    (source,) = (s for unit in plan.units[:1] for s in unit.sources if s.path == str(path))
    files = DiskFiles()
    try:
        state = files.condition(str(kept / path.name))
        assert state.file is not None
        data = Path(state.file).read_bytes()
    finally:
        files.close()
    assert sha256(data).hexdigest() == source.after_sha256
    return data


def _killed(path: Path, k: int) -> bool:
    """Apply in a child that dies at the k-th call that touches the disk."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            _die_at(k)
            applied(path)
            status = 0
        finally:
            os._exit(status)
    _, found = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(found) or os.WEXITSTATUS(found) == 0
    return os.WIFSIGNALED(found)


def _die_at(k: int) -> None:
    left = [k]

    def wrapped(function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return function(*args, **named)

        return call

    for name in ("write", "sync", "rename", "remove", "make_folder", "copy_file"):
        setattr(disk, name, wrapped(getattr(disk, name)))
