"""What a check imports: a hook runs it on every commit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_DEAR = ("pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet", "rich", "asyncio")
_CHECK = """
import sys
from suture.cli.main import main
sys.argv = ["suture", "check", sys.argv[1]]
try:
    main()
except SystemExit:
    pass
print(*sorted(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "store", ["claude-code/healthy", "claude-code/torn-and-glued", "codex/healthy"]
)
def test_a_check_imports_nothing_dear(store: str) -> None:
    import duckdb  # noqa: PLC0415 (its version decides)

    if duckdb.__version__.startswith("1."):
        pytest.skip("DuckDB 1 imports them itself")
    found = subprocess.run(
        [sys.executable, "-c", _CHECK, str(_ROOT / "sample_data" / store)],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = found.stderr.splitlines()[-1].split()
    assert "suture.checking" in modules
    assert not set(_DEAR) & set(modules)


_FORK = """
import sys
from suture import ranges
from suture.cli.main import main
ranges.SHARE_FROM = 1
ranges.batches = lambda units, sizes, size: [[unit] for unit in units]
pool = ranges.ProcessPoolExecutor
def told(*given):
    print(*sorted(sys.modules), file=sys.stderr)
    return pool(*given)
ranges.ProcessPoolExecutor = told
sys.argv = ["suture", "check", "--jobs", "2", "--fail-on", "never", sys.argv[1]]
main()
"""


def test_what_only_judging_needs_is_imported_while_another_process_reads() -> None:
    found = subprocess.run(
        [sys.executable, "-c", _FORK, str(_ROOT / "sample_data")],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = found.stderr.split()
    assert "suture.checking" in modules
    assert "duckdb" not in modules
    assert "suture.validators.torn_tail" not in modules


def test_a_command_that_leaves_at_once_has_said_all_and_left_nothing(tmp_path: Path) -> None:
    store = _ROOT / "sample_data/codex/healthy"
    found = subprocess.run(
        [sys.executable, "-m", "suture", "check", str(store), "--format", "json"],
        capture_output=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert found.returncode == 0
    assert json.loads(found.stdout)["verdict"] == "clean"
    assert not found.stderr
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_no_bug() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    with full.open("w") as output:
        found = subprocess.run(
            [sys.executable, "-m", "suture", "rules"],
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert found.returncode == 3
    assert b"No space left" in found.stderr
