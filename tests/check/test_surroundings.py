"""Closed streams, terminals without Unicode, and names that are no text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import SAMPLES, sample, suture

from suture.cli import main

STORE = SAMPLES / "codex/killed-in-tool"


def shell(line: str, folder: Path, **named: str) -> subprocess.CompletedProcess[bytes]:
    """A line that begins with `suture`."""
    words = f"'{sys.executable}' -m {line}"
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), **named}
    return subprocess.run(
        ["sh", "-c", words], cwd=folder, env=env, capture_output=True, check=False
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_change_no_verdict(closed: str, tmp_path: Path) -> None:
    done = shell(f"suture check '{STORE}' {closed}", tmp_path)
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)


def test_apply_and_undo_without_an_input(tmp_path: Path) -> None:
    store = sample("codex/killed-in-tool", tmp_path / "store")
    suture("plan", store, "-o", tmp_path / "plan.json")
    assert shell("suture apply plan.json <&-", tmp_path).returncode == 0
    assert shell("suture undo --last <&-", tmp_path).returncode == 0


def test_a_terminal_that_knows_ascii_alone(tmp_path: Path) -> None:
    done = shell(f"suture check '{SAMPLES}'", tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert done.stdout.isascii()


@pytest.fixture
def nameless(tmp_path: Path) -> Path:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))
    try:
        path.mkdir()
    except OSError:
        pytest.skip("names are text on this file system")
    return sample("codex/killed-in-tool", path / "store")


def test_a_name_that_is_no_text_is_checked(nameless: Path) -> None:
    assert suture("check", nameless).code == 1


@pytest.mark.parametrize("command", ["plan -o", "load --db", "export --to parquet"])
def test_and_repaired_through_a_link(command: str, nameless: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = suture(*command.split()[:1], nameless, *command.split()[1:], out)
    assert (done.code, "ln -s" in done.err) == (3, True)
    assert not out.exists()
    (tmp_path / "link").symlink_to(nameless)
    suture(*command.split()[:1], tmp_path / "link", *command.split()[1:], out)
    assert out.exists()


@pytest.mark.parametrize(("query", "code"), [("", 2), (" ;\n", 2), ("/* no more */", 0)])
def test_a_question_that_asks_nothing(query: str, code: int) -> None:
    assert suture("sql", STORE, query).code == code


def test_a_bug_can_be_told_whatever_the_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["suture", "check", "\udcff"])
    with pytest.raises(SystemExit) as left:
        main._bug()
    told = Path(capsys.readouterr().err.split()[-1])
    assert left.value.code == 70
    assert "\\udcff" in told.read_text("utf-8")
    told.unlink()
