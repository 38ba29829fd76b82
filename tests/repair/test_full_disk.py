"""A disk that takes no more bytes, or never took any, costs a repair and nothing else."""

import errno
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from desk import Desk, at, dumped, one_file, only, plan_of, source, unit

from suture.model.edit import SpanEdit
from suture.model.errors import ApplyFailed
from suture.repair import applier, disk, journal


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


NEEDS_DISK = ("create", "write", "sync", "dress", "rename", "make_folder", "sync_folder")


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("kind", ["files", "compressed"])
def test_a_full_disk_at_any_write_loses_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, once: bool, kind: str
) -> None:
    plan = desk.two_files() if kind == "files" else desk.compressed()
    data, before = dumped(plan), desk.contents()
    plain = {name: getattr(disk, name) for name in NEEDS_DISK}
    k = 0
    for k in count():
        calls = count()

        def full(name: str, k: int = k, calls: "count[int]" = calls) -> Callable[..., object]:
            def call(*args: object) -> object:
                n = next(calls)
                if n == k or (n > k and not once):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")
                return plain[name](*args)

            return call

        for name in NEEDS_DISK:
            monkeypatch.setattr(disk, name, full(name))
        failed: str | None = None
        try:
            done = desk.apply_bytes(data)
        except ApplyFailed as error:
            failed, done = str(error), None
        for name in NEEDS_DISK:
            monkeypatch.setattr(disk, name, plain[name])
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
        assert desk.contents() == before, k
        assert not list(desk.store.rglob(".*")), k
    assert k > 30


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
