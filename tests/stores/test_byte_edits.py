"""Operations on bytes become the edits that mend a file of lines, of any format."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Blank, Cut, Operation, Quarantine, Replace, Split
from suture.model.packed import zstd
from suture.model.place import Row, Span
from suture.model.unit import Unit
from suture.stores._byte_edits import byte_edits
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.unknown import STORE


def _applied(data: bytes, *operations: Operation) -> bytes:
    edits: list[SpanEdit] = []
    for operation in operations:
        translated = byte_edits("f", memoryview(data), operation)
        assert translated is not None
        edits += [edit for edit in translated.edits if isinstance(edit, SpanEdit)]
    for edit in sorted(edits, key=lambda edit: -edit.offset):
        after = b"".join(part for part in edit.after if isinstance(part, bytes))
        data = data[: edit.offset] + after + data[edit.offset + edit.length :]
    return data


@pytest.mark.parametrize(
    ("data", "place", "after"),
    [
        (b"{}\nbad\n[]\n", (3, 3), b"{}\n[]\n"),
        (b"{}\nbad\r\n[]\n", (3, 3), b"{}\n[]\n"),
        (b"bad\n[]\n", (0, 3), b"[]\n"),
        (b"{}\nbad", (3, 3), b"{}\n"),
        (b"{}\nbad{}\n", (3, 3), b"{}\n{}\n"),
        (b"{}bad\n", (2, 3), b"{}\n"),
    ],
)
def test_a_whole_line_is_quarantined_with_its_line_end(
    data: bytes, place: tuple[int, int], after: bytes
) -> None:
    assert _applied(data, Quarantine(Span("f", 1, *place))) == after


def test_cut_split_and_replace_touch_nothing_else() -> None:
    data = b'{"a":1}{"b":2}\xffxx\n'
    place = Span("f", 1, 0, len(data) - 1)
    assert (
        _applied(
            data,
            Split(place, (7,)),
            Replace(Span("f", 1, 14, 1), b" "),
            Cut(Span("f", 1, 15, 2)),
        )
        == b'{"a":1}\n{"b":2} \n'
    )


def test_other_operations_and_places_are_left_to_the_store() -> None:
    data = memoryview(b"{}\n")
    assert byte_edits("f", data, Blank(0, 0)) is None
    assert byte_edits("f", data, Cut(Span("g", 1, 0, 2))) is None
    assert byte_edits("f", data, Quarantine(Row("f", "t", "{}"))) is None


@pytest.fixture
def files() -> Iterator[DiskFiles]:
    disk = DiskFiles()
    yield disk
    disk.close()


def test_lines_of_an_unknown_format_are_judged_by_their_bytes(
    tmp_path: Path, files: DiskFiles
) -> None:
    path = str(tmp_path / "notes.jsonl")
    (tmp_path / "notes.jsonl").write_bytes(b'{"type":"x"}\n{"a":\n[]\n{"b":1}{"c":2}\n')
    [unit] = STORE.units(files, [path])
    sink = Sink()
    STORE.read(unit, files, sink)
    tables = {name: table.to_pylist() for name, table in sink.tables()}
    assert [(row["kind"], row["type"]) for row in tables["record"]] == [
        ("unknown", "x"),
        ("unknown", ""),
        ("unknown", ""),
    ]
    assert [(row["kind"], row["line"], row["n"]) for row in tables["damage"]] == [
        ("bad_json", 2, None),
        ("not_a_record", 3, None),
        ("missing_newline", 4, 1),
    ]
    assert [row["id"] for row in tables["session"]] == ["notes"]
    assert [row["records"] for row in tables["source"]] == [3]


def test_meaning_is_not_repaired_in_an_unknown_format(tmp_path: Path, files: DiskFiles) -> None:
    path = str(tmp_path / "notes.jsonl")
    (tmp_path / "notes.jsonl").write_bytes(b"{}\n")
    with pytest.raises(Unsupported, match="format is not known"):
        STORE.edits(Unit(0, "unknown", (path,)), files, [Blank(0, 0)])


@pytest.mark.parametrize("name", ["no such.jsonl", "cut.jsonl.zst", "no.jsonl.zst"])
def test_a_file_that_cannot_be_read_is_a_row(tmp_path: Path, files: DiskFiles, name: str) -> None:
    whole = zstd.compress(b"{}\n" * 50_000)
    (tmp_path / "cut.jsonl.zst").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "no.jsonl.zst").write_bytes(b"no such magic")
    sink = Sink()
    STORE.read(Unit(0, "unknown", (str(tmp_path / name),)), files, sink)
    tables = {name: table.to_pylist() for name, table in sink.tables()}
    assert [row["kind"] for row in tables["damage"]] == ["unreadable"]
