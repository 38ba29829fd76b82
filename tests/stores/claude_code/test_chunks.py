"""A transcript of a million records is kept in pieces: what is read must not depend on where
those end."""

from pathlib import Path

import pytest

from suture.model.unit import Unit
from suture.stores import DiskFiles, Sink, _columns, store_named

_LINK = b'"parentUuid"'
_CASES = Path(__file__).parents[2] / "cases"


def _transcripts() -> list[Path]:
    return sorted(p for p in _CASES.rglob("before/**/*.jsonl") if _LINK in p.read_bytes())


def _tables(path: Path) -> dict[str, list[dict[str, object]]]:
    sink = Sink()
    sink.start(0, None)
    files = DiskFiles()
    store_named("claude-code").read(Unit(0, "claude-code", (str(path),)), files, sink)
    files.close()
    return {name: table.to_pylist() for name, table in sink.tables()}


def test_pieces_of_three_records_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = _transcripts()
    whole = {path: _tables(path) for path in paths}
    monkeypatch.setattr(_columns, "_CHUNK", 3)
    for path in paths:
        assert _tables(path) == whole[path], path
    assert sum(len(tables.get("record", ())) > 6 for tables in whole.values()) > 10
