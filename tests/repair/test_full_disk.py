"""A disk that takes no more bytes, or never took any, costs a repair and nothing else."""

import errno
import os
import resource
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from desk import Desk, at, dump, dumped, one_file, only, plan_of, source, unit
from hardship import KINDS, in_child, made, state
from msgspec.structs import replace

from suture.model.edit import RowEdit, SpanEdit, Value
from suture.model.errors import ApplyFailed
from suture.repair import applier, disk, journal


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


NEEDS_DISK = (
    "create", "write", "sync", "dress", "rename", "make_folder", "sync_folder", "copy_file",
    "scratch", "private_folder", "commit",
)  # fmt: skip


@contextmanager
def full(k: int, once: bool) -> Iterator["count[int]"]:
    """The k-th call that needs the disk finds it full, and if not `once` every later one."""
    calls = count()

    def failing(function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object) -> object:
            n = next(calls)
            if n == k or (n > k and not once):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")
            return function(*args)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in NEEDS_DISK:
            patch.setattr(disk, name, failing(getattr(disk, name)))
        yield calls


@pytest.mark.parametrize(
    ("kind", "once"),
    [
        ("compressed", True),
        ("rows", True),
        *(pytest.param(kind, True, marks=pytest.mark.slow) for kind in ("files", "twin")),
        *(pytest.param(kind, False, marks=pytest.mark.slow) for kind in KINDS),
    ],
)
def test_a_full_disk_at_any_write_loses_nothing(desk: Desk, once: bool, kind: str) -> None:
    data = dumped(made(desk, kind))
    before = state(desk)
    k = 0
    for k in count():
        failed: str | None = None
        with full(k, once) as calls:
            try:
                done = desk.apply_bytes(data)
            except ApplyFailed as error:
                failed, done = str(error), None
            if next(calls) <= k:
                break
        if done and done.outcomes[0].status == "applied":
            # only the closing failed
            desk.undo(str(done.journal))
        elif done:
            assert "No space left" in str(done.outcomes[0].reason)
            assert done.exit_code == 5
            assert not once or done.outcomes[0].status == "rolled_back"
            for entry in journal.unfinished(desk.journal):
                assert not once or entry.open
                if k % 2:
                    resumed = desk.resume(entry.id).outcomes[0].status
                    assert resumed in ({"rolled_back"} if once else {"applied", "rolled_back"})
                desk.undo(entry.id)
        else:
            assert "No space left" in str(failed)
            for entry in journal.unfinished(desk.journal):  # begun, with no unit in it
                desk.undo(entry.id)
        assert state(desk) == before, k
        assert not list(desk.store.rglob(".*")), k
    assert k > 20


@pytest.mark.slow
@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_an_undo_on_a_full_disk_can_be_done_again(desk: Desk, once: bool, kind: str) -> None:
    data = dumped(made(desk, kind))
    before = state(desk)
    k = 0
    for k in count():
        id = str(desk.apply_bytes(data).journal)
        after = state(desk)
        with full(k, once) as calls:
            try:
                desk.undo(id)
                failed = None
            except ApplyFailed as error:
                failed = str(error)
            last = next(calls) <= k
        assert last or failed is None or "No space left" in failed, (k, failed)
        if kind in ("twin", "rows"):  # else several files: each is old or new
            assert state(desk) in (before, after), k
        desk.undo(id)
        assert state(desk) == before, k
        assert not list(desk.store.rglob(".*")), k
        assert not journal.unfinished(desk.journal)
        if last:
            break
    assert k > 2


def test_too_little_room_is_said_before_anything_is_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.write("a.jsonl", b"x" * 300_000)
    plan = plan_of(unit([source(path, b"x" * 300_000, b"")], SpanEdit(str(path), 0, 300_000, ())))
    usage = type("usage", (), {"free": 200_000})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("rolled_back", 5)
    assert "300,000 bytes are needed" in reason
    assert not list(desk.journal.glob("*/before/*"))


def test_a_journal_that_cannot_be_made_is_said_and_nothing_is_changed(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    before = desk.contents()
    desk.journal = desk.store / "a.jsonl" / "journal"
    with pytest.raises(ApplyFailed, match="cannot be made: Not a directory"):
        desk.apply(plan)
    assert desk.contents() == before


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_that_cannot_grow_keeps_its_rows(desk: Desk, mode: str) -> None:
    path, _ = desk.database()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"pragma journal_mode = {mode}")
        connection.execute("insert into entry(session_id, body) values ('s2', ?)", ("x" * 400_000,))
    row: dict[str, Value] = {"id": 20, "session_id": "s1", "body": "y" * 100_000, "raw": None}
    edit = RowEdit(str(path), "entry", {"id": 20}, None, row)
    known = replace(source(path, path.read_bytes(), b""), after_size=None, after_sha256=None)
    plan, before, limit = plan_of(unit([known], edit)), dump(path), path.stat().st_size + 4096

    def small_files() -> bool:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return desk.apply(plan).exit_code == 5

    assert in_child(small_files)
    assert dump(path) == before
    for entry in journal.unfinished(desk.journal):
        desk.undo(entry.id)
    assert desk.apply(plan).exit_code == 0
    assert dump(path) != before
