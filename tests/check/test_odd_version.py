"""A version is text that a client wrote, and damage changes text."""

import re
import shutil
from pathlib import Path

import pytest
from commandline import suture

_CASES = Path(__file__).parent.parent / "cases"
_HUGE, _NO_DIGITS = "2.1." + "7" * 5000, "2.\u00b2.1"


@pytest.mark.parametrize("odd", [_HUGE, _NO_DIGITS, "..", ""])
@pytest.mark.parametrize(
    ("case", "code"), [("orphan-call-tail/claude-drop", 1), ("hollow-thinking/asked-for-again", 0)]
)
def test_an_odd_version_is_no_crash(tmp_path: Path, case: str, code: int, odd: str) -> None:
    store = tmp_path / "projects"
    shutil.copytree(_CASES / case / "before", store)
    changed = 0
    for path in store.rglob("*.jsonl"):
        text, here = re.subn('"version":"[^"]*"', f'"version":"{odd}"', path.read_text("utf-8"))
        changed += here
        path.write_text(text, "utf-8")
    assert changed
    assert suture("check", store, "--assume", "dead").code == code
