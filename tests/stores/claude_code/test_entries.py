"""Records as edits look at them are made some at a time: which ones must not depend on that."""

from pathlib import Path

import pytest

from suture.stores import _columns, _entries
from suture.stores.claude_code.chain import mark_chain
from suture.stores.claude_code.transcript import read_transcript
from suture.stores.claude_code.view import Entry

_CASES = Path(__file__).parents[2] / "cases"


def _made(path: Path) -> _entries.Entries[Entry]:
    found = read_transcript(0, str(path), memoryview(path.read_bytes()))
    mark_chain(found)
    return found.entries


def test_entries_are_the_same_in_any_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted((_CASES / "orphan-call-mid").rglob("before/**/*.jsonl"))
    paths = [path for path in files if b'"parentUuid"' in path.read_bytes()]
    whole = {path: list(_made(path)) for path in paths}
    assert max(map(len, whole.values())) > 7
    monkeypatch.setattr(_columns, "_CHUNK", 3)
    monkeypatch.setattr(_entries, "_BATCH", 2)
    monkeypatch.setattr(_entries, "_HELD", 1)
    monkeypatch.setattr(_entries, "_WALKED", 2)
    for path, expected in whole.items():
        entries = _made(path)
        assert len(entries) == len(expected)
        assert list(entries) == expected
        assert [entries[n] for n in reversed(range(len(entries)))] == expected[::-1]
        assert list(entries.from_(3)) == expected[3:]
