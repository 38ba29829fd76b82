"""What a check imports: a hook runs it on every commit."""

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
