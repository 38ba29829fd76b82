"""A process that holds a file open for writing is seen, a reader is not."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from suture.stores._open_files import open_writers

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")

HOLD = "import sys; f = open(sys.argv[1], sys.argv[2]); print('ready', flush=True); input()"


@contextmanager
def holding(path: Path, mode: str) -> Iterator[int]:
    command = [sys.executable, "-c", HOLD, str(path), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def test_a_writer_is_named_by_pid(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    log.write_bytes(b"")
    with holding(log, "a") as pid:
        assert [writer.pid for writer in open_writers(str(log))] == [pid]


def test_a_link_to_the_file_shows_the_same_writer(tmp_path: Path) -> None:
    log, link = tmp_path / "session.jsonl", tmp_path / "link.jsonl"
    log.write_bytes(b"")
    link.symlink_to(log)
    with holding(log, "a") as pid:
        assert [writer.pid for writer in open_writers(str(link))] == [pid]


def test_a_reader_is_no_writer(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    log.write_bytes(b"")
    with holding(log, "r"):
        assert open_writers(str(log)) == []


def test_a_missing_file_has_no_writer(tmp_path: Path) -> None:
    assert open_writers(str(tmp_path / "none")) == []
