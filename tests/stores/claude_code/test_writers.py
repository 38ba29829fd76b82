"""Who may still write: the registry of running clients."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import transcripts as t

from suture.model.unit import Unit
from suture.stores.claude_code import STORE


def registered(
    tmp_path: Path,
    pid: object,
    session: str = t.SESSION,
    age: int = 0,
    **more: str,
) -> list[str]:
    path = t.write(tmp_path / "projects" / "-home-dev-shop", t.prompt("p", None, 0))
    entry = tmp_path / "sessions" / "1.json"
    entry.parent.mkdir(exist_ok=True)
    entry.write_text(
        json.dumps({"pid": pid, "sessionId": session, "cwd": "/home/dev/shop", **more})
    )
    if age:
        then = entry.stat().st_mtime - age
        os.utime(entry, (then, then))
    found = STORE.writers(Unit(0, "claude-code", (str(path),)))
    return [writer.evidence for writer in found]


def test_a_living_process_in_the_registry_is_a_writer(tmp_path: Path) -> None:
    pid = os.getpid()
    assert registered(tmp_path, pid) == [f"session registry names live pid {pid}"]


def test_a_dead_process_is_none(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    assert registered(tmp_path, process.pid) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="start times come from /proc")
def test_a_later_process_of_the_same_number_is_none(tmp_path: Path) -> None:
    assert registered(tmp_path, os.getpid(), age=86_400) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="start times come from /proc")
def test_the_stored_start_tells_a_process_from_others_of_its_number(tmp_path: Path) -> None:
    """A client that died in a container names a number that here belongs to an older process."""
    pid = os.getpid()
    ticks = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
    found = [f"session registry names live pid {pid}"]
    assert registered(tmp_path, pid, procStart=ticks) == found
    assert registered(tmp_path, pid, procStart=str(int(ticks) + 1)) == []
    assert registered(tmp_path, 2**22, procStart=ticks) == []


def test_another_session_is_none(tmp_path: Path) -> None:
    assert registered(tmp_path, os.getpid(), "another") == []


@pytest.mark.parametrize("pid", ["x", -1, 0, True, 2**70, [1]])
def test_a_garbled_entry_is_none(tmp_path: Path, pid: object) -> None:
    assert registered(tmp_path, pid) == []


def test_without_a_client_home_there_is_no_registry(tmp_path: Path) -> None:
    path = t.write(tmp_path, t.prompt("p", None, 0))
    assert STORE.writers(Unit(0, "claude-code", (str(path),))) == []
