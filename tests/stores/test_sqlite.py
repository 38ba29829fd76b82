"""A database is read from a private copy, and whoever has it open is seen."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from suture.stores._sqlite import database_writers, describe, private_copy

CRASH = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('pragma journal_mode=wal')
db.execute('create table session (session_id, next_msg_seq)')
db.execute("insert into session values ('s', 3)")
print('ready', flush=True)
if sys.argv[2] == 'crash':
    os.kill(os.getpid(), 9)
if sys.argv[2] == 'busy':
    db.execute('begin immediate')
    print('busy', flush=True)
input()
"""


@contextmanager
def running(path: Path, mode: str) -> Iterator[int]:
    command = [sys.executable, "-c", CRASH, str(path), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if mode == "busy":
            process.stdout.readline()
        if mode == "crash":
            process.wait()
        try:
            yield process.pid
        finally:
            process.kill()


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}


def test_rows_that_stand_in_the_wal_alone_are_read_and_the_original_keeps_it(
    tmp_path: Path,
) -> None:
    home, private = tmp_path / "home", tmp_path / "private"
    home.mkdir()
    private.mkdir()
    with running(home / "s.db", "crash"):
        pass
    before = contents(home)
    assert "s.db-wal" in before
    with closing(sqlite3.connect(private_copy(str(home / "s.db"), private))) as copy:
        assert copy.execute("select * from session").fetchall() == [("s", 3)]
    assert describe(str(home / "s.db")) == {"session": frozenset({"session_id", "next_msg_seq"})}
    assert contents(home) == before


def test_a_copy_torn_by_a_writer_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, private = tmp_path / "s.db", tmp_path / "private"
    private.mkdir()
    path.write_bytes(b"old")
    real, copies = shutil.copyfile, []

    def racing(source: str, target: Path) -> None:
        real(source, target)
        copies.append(source)
        if len(copies) == 1:
            path.write_bytes(b"newer")

    monkeypatch.setattr(shutil, "copyfile", racing)
    assert private_copy(str(path), private).read_bytes() == b"newer"


def test_a_database_that_never_stands_still_is_an_error_not_a_torn_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, private = tmp_path / "s.db", tmp_path / "private"
    private.mkdir()
    path.write_bytes(b"")

    def racing(source: str, target: Path) -> None:
        target.write_bytes(Path(source).read_bytes())
        path.write_bytes(path.read_bytes() + b"x")

    monkeypatch.setattr(shutil, "copyfile", racing)
    with pytest.raises(sqlite3.OperationalError, match="changed during each"):
        private_copy(str(path), private)


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"SQLite format 3\0" + b"nonsense" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        describe(str(path))


@pytest.mark.parametrize(("mode", "words"), [("idle", "has open"), ("busy", "writes to")])
def test_a_connection_in_wal_mode_is_seen_by_its_lock(
    tmp_path: Path, mode: str, words: str
) -> None:
    with running(tmp_path / "s.db", mode) as pid:
        found = database_writers(str(tmp_path / "s.db"))
        assert [writer.pid for writer in found] == [pid]
        assert words in found[0].evidence


def test_a_crashed_database_has_no_writer(tmp_path: Path) -> None:
    with running(tmp_path / "s.db", "crash"):
        pass
    assert (tmp_path / "s.db-shm").exists()
    assert database_writers(str(tmp_path / "s.db")) == []
