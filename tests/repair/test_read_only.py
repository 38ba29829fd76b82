"""A target that takes no write is named and left as it is."""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from desk import Desk, at, dumped, one_file, only, plan_of
from hardship import KINDS, in_child, made, state
from msgspec.structs import replace

from suture.repair import applier, disk, journal, sqlite_apply


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_target_that_is_read_only_is_named_and_left_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    plan = made(desk, kind)
    before = state(desk)

    def read_only(path: str, *_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    plain, unlink = disk.create, os.unlink

    def create(path: str) -> int:
        return read_only(path) if path.startswith(str(desk.store)) else plain(path)

    def remove(path: str, **named: int) -> None:  # also where nothing is, as Linux does
        if str(path).startswith(str(desk.store)):
            read_only(path)
        unlink(path, **named)

    monkeypatch.setattr(disk, "create", create)
    monkeypatch.setattr(os, "unlink", remove)
    monkeypatch.setattr(sqlite_apply, "_connect", refusing(sqlite_apply._connect, desk.store))
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("rolled_back", 5)
    assert "ead-only" in reason or "readonly" in reason
    assert str(desk.store) in reason
    assert state(desk) == before
    assert not journal.unfinished(desk.journal)


def refusing(plain: Callable[[str], sqlite3.Connection], store: Path) -> Callable[..., object]:
    def connect(path: str) -> sqlite3.Connection:
        if path.startswith(str(store)):
            return sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True, isolation_level=None)
        return plain(path)

    return connect


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_folder_without_the_right_to_write_costs_nothing(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp())  # that of the test lets nobody else in
    try:
        folder.chmod(0o755)
        (folder / "work").mkdir()
        desk = at(folder / "work")
        data = dumped(plan_of(one_file(desk)))
        desk.journal.mkdir(mode=0o700)
        nobody = 65534 if os.geteuid() == 0 else os.geteuid()
        if os.geteuid() == 0:
            os.chown(desk.journal, nobody, -1)
        (desk.store / "a.jsonl").chmod(0o644)
        desk.store.chmod(0o555)
        before = desk.contents()

        def try_it() -> bool:
            os.setuid(nobody)
            disk.write_file.__defaults__ = (replace(disk.PRIVATE, uid=nobody),)
            (outcome,) = desk.apply_bytes(data).outcomes
            return outcome.status == "rolled_back" and "Permission denied" in str(outcome.reason)

        assert in_child(try_it)
        assert desk.contents() == before
    finally:
        (folder / "work" / "store").chmod(0o755)
        shutil.rmtree(folder)
