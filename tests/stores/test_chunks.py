"""A session of a million records is kept in pieces: what is read must not depend on where those
end, nor on whether they wait on the disk."""

import errno
import tracemalloc
from pathlib import Path
from typing import Never

import pytest

from suture.model.unit import Unit
from suture.stores import DiskFiles, Sink, _columns, _packed, _repeated, _spill, store_named
from suture.stores.claude_code import holders, requests
from suture.stores.codex.turns import Turn

_CASES = Path(__file__).parents[1] / "cases"
_MARKS = {"claude-code": b'"parentUuid"', "codex": b'"session_meta"'}


def _files(store: str) -> list[Path]:
    files = _CASES.rglob("before/**/*.jsonl")
    return sorted(path for path in files if _MARKS[store] in path.read_bytes())


def _tables(store: str, path: Path) -> dict[str, list[dict[str, object]]]:
    sink = Sink()
    sink.start(0, None)
    files = DiskFiles()
    store_named(store).read(Unit(0, store, (str(path),)), files, sink)
    files.close()
    return {name: table.to_pylist() for name, table in sink.tables()}


def _no_room(**args: object) -> Never:
    raise OSError(errno.ENOSPC, "no space left on device")


@pytest.mark.parametrize("store", _MARKS)
@pytest.mark.parametrize("disk", ["unused", "used", "full"])
def test_small_pieces_say_the_same(store: str, disk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = _files(store)
    whole = {path: _tables(store, path) for path in paths}
    monkeypatch.setattr(_columns, "_CHUNK", 3)
    monkeypatch.setattr(_packed, "_CHUNK", 1)
    monkeypatch.setattr(holders, "_RECENT", 2)
    monkeypatch.setattr(requests, "_SOME", 1)
    monkeypatch.setattr(_repeated, "_PART", 4)
    if disk != "unused":
        monkeypatch.setattr(_spill, "_FIRST", 0)
        monkeypatch.setattr(_spill, "_SEGMENT", 1 << 12)
    if disk == "full":
        monkeypatch.setattr("suture.stores._spill.tempfile.TemporaryFile", _no_room)
    for path in paths:
        assert _tables(store, path) == whole[path], path
    assert sum(len(tables.get("record", ())) > 6 for tables in whole.values()) > 10


def test_what_is_not_full_is_not_copied() -> None:
    """It is asked after every odd line of a file: a copy each time took most of the reading."""
    packed = _packed.Packed(Turn)
    for n in range(_packed._CHUNK):
        packed.append(Turn(n, None, n, None))
    tracemalloc.start()
    try:
        packed.settle()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < _packed._CHUNK
    assert len(packed) == _packed._CHUNK
