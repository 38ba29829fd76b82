"""The shell stands in a folder that was deleted, as after a cleaned-up worktree."""

import subprocess
import sys
from pathlib import Path

import pytest

_SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.mark.parametrize("store", ["claude-code", "codex"])
@pytest.mark.parametrize("command", ["check", "plan"])
def test_commands_work_in_a_folder_that_is_gone(tmp_path: Path, store: str, command: str) -> None:
    gone, plan = tmp_path / "gone", tmp_path / "plan.json"
    gone.mkdir()
    words = [command, str(_SAMPLES / store / "killed-in-tool")]
    if command == "plan":
        words += ["-o", str(plan)]
    script = (
        "import os, sys; os.rmdir(os.getcwd()); from suture.cli.main import main; "
        f"sys.argv = ['suture', *{words!r}]; main()"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=gone, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1, found.stderr
    assert "bug in suture" not in found.stderr
    assert command == "check" or plan.exists()
