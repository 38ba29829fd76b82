"""A version is text that a client wrote, and damage changes text."""

import shutil
from pathlib import Path

import pytest
from commandline import suture

_CASE = Path(__file__).parent.parent / "cases" / "orphan-call-tail" / "claude-drop" / "before"


@pytest.mark.parametrize("odd", ["2.1." + "7" * 5000, "2.\u00b2.1", "..", ""])
def test_an_odd_version_is_no_crash(tmp_path: Path, odd: str) -> None:
    store = tmp_path / "projects"
    shutil.copytree(_CASE, store)
    changed = 0
    for path in store.rglob("*.jsonl"):
        text = path.read_text("utf-8")
        start = text.index('"version":"') + len('"version":"')
        version = text[start : text.index('"', start)]
        changed += text.count(f'"version":"{version}"')
        path.write_text(text.replace(f'"version":"{version}"', f'"version":"{odd}"'), "utf-8")
    assert changed
    assert suture("check", store, "--assume", "dead").code == 1
