"""What a check of one huge session holds does not grow as fast as the session."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_CHECK = """
import resource, sys
from pathlib import Path
from suture.cli.main import commands
sys.argv = ["suture", "check", sys.argv[1]]
code = commands(standalone_mode=False)
if sys.platform == "linux":  # ru_maxrss is inherited from the process that started this one
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peak = int(status["VmHWM"].split()[0]) << 10
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(code, peak >> 20)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "most"), [("claude", 330), ("codex", 300)])
def test_a_session_of_half_a_million_records(tool: str, most: int, tmp_path: Path) -> None:
    maker = _ROOT / "bench" / "single_files.py"
    made = [sys.executable, str(maker), "records", tool, str(tmp_path), "--size", "500000"]
    subprocess.run(made, timeout=300, check=True)
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    code, peak = map(int, done.stdout.splitlines()[-1].split())
    assert code == 0
    assert peak < most, f"{peak} MB"
