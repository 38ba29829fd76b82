"""The journal is taken away: before an undo, and at any point of an apply."""

import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from desk import Desk, at, dump, dumped, one_file, only, plan_of

from suture.model.errors import ApplyFailed, NothingToRead, SutureError
from suture.repair import applier, disk, journal


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def test_without_its_journal_an_apply_is_not_undone_and_nothing_is_unfinished(desk: Desk) -> None:
    done = desk.apply(plan_of(one_file(desk)))
    after = desk.contents()
    shutil.rmtree(desk.journal)
    assert journal.unfinished(desk.journal) == []
    with pytest.raises(NothingToRead, match="no journal"):
        desk.undo(str(done.journal))
    with pytest.raises(NothingToRead, match="holds anything to undo"):
        journal.last(desk.journal)
    assert desk.contents() == after


def test_a_journal_without_what_it_kept_gives_nothing_back(desk: Desk) -> None:
    done = desk.apply(plan_of(one_file(desk)))
    after = desk.contents()
    shutil.rmtree(desk.journal / str(done.journal) / "before")
    with pytest.raises(SutureError, match="before"):
        desk.undo(str(done.journal))
    assert desk.contents() == after
    assert not list(desk.store.rglob(".*"))


def taken_away(desk: Desk, monkeypatch: pytest.MonkeyPatch, k: int) -> Callable[[], int]:
    """The journal's folders go before the k-th call of a function that changes the disk."""
    calls = count()

    def losing(function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object) -> object:
            if next(calls) == k:
                for folder in desk.journal.glob("*Z-*"):
                    shutil.rmtree(folder)
            return function(*args)

        return call

    for name in ("create", "write", "sync", "rename", "remove", "make_folder", "commit"):
        monkeypatch.setattr(disk, name, losing(getattr(disk, name)))
    return lambda: next(calls)


@pytest.mark.parametrize(
    "kind", ["twin", *(pytest.param(k, marks=pytest.mark.slow) for k in ("files", "compressed"))]
)
def test_a_journal_that_goes_in_mid_work_leaves_all_old_or_all_new(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str, tmp_path: Path
) -> None:
    plan = {"files": desk.two_files, "compressed": desk.compressed, "twin": desk.twin}[kind]()
    data, pristine = dumped(plan), tmp_path / "pristine"
    shutil.copytree(desk.store, pristine)
    before = desk.contents()
    desk.apply_bytes(data)
    after = {name: found[0] for name, found in desk.contents().items()}
    seen = set()
    k = -1
    for k in count():
        for folder in (desk.store, desk.journal):
            shutil.rmtree(folder)
        shutil.copytree(pristine, desk.store)
        with monkeypatch.context() as patch:
            calls = taken_away(desk, patch, k)
            try:
                status, code, reason = only(desk.apply_bytes(data).outcomes)
            except ApplyFailed as error:  # it had not begun
                status, code, reason = "rolled_back", 5, str(error)
            last = calls() <= k
        found = {name: data for name, (data, _, _) in desk.contents().items()}
        seen.add(status)
        if status == "applied":
            assert found == after, k
            assert not code or "cannot be had back" in reason, (k, reason)
        else:
            assert status == "rolled_back", (k, status, reason)
            assert desk.contents() == before, k
        assert not list(desk.store.rglob(".*")), k
        if last:
            break
    assert seen == {"applied", "rolled_back"}
    assert k > 20


def test_rows_are_old_or_new_when_the_journal_goes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, plan = desk.database()
    data, pristine = dumped(plan), tmp_path / "pristine.db"
    shutil.copyfile(path, pristine)
    old = dump(path)
    desk.apply_bytes(data)
    new = dump(path)
    k = -1
    for k in count():
        shutil.rmtree(desk.journal)
        os.unlink(path)  # noqa: PTH108
        shutil.copyfile(pristine, path)
        with monkeypatch.context() as patch:
            calls = taken_away(desk, patch, k)
            try:
                status, code, _ = only(desk.apply_bytes(data).outcomes)
            except ApplyFailed:
                status, code = "rolled_back", 5
            last = calls() <= k
        found = dump(path)
        assert found in (old, new), k
        assert found == new if status == "applied" else code, (k, status)
        if status == "rolled_back":
            assert found == old, k
        if last:
            break
    assert k > 10
