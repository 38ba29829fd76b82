"""The intake finds which records a line holds, and wins what can be won from it."""

import json

import pytest
from examined import BROKEN, A, B, C, kinds, only, place_of, read, won


def test_whole_lines_are_records_with_their_place() -> None:
    data = A + b"\n" + B + b"\n" + C + b"\n"
    found = read(data)
    assert [row for _, _, rows in found for row in rows] == []
    assert [piece.line for piece, _, _ in found] == [1, 2, 3]
    for (piece, _, _), raw in zip(found, (A, B, C), strict=True):
        assert data[piece.offset : piece.offset + piece.length] == piece.raw == raw
        assert not piece.recovered


def test_lines_longer_than_a_block_are_whole() -> None:
    long = b'{"type":"long","x":"' + b"y" * 3_000_000 + b'"}'
    data = A + b"\n" + long + b"\n" + long + b"\n" + C + b"\n"
    assert [name for name, _ in won(data)] == ["a", "long", "long", "c"]
    assert kinds(data) == []


def test_only_lf_ends_a_line() -> None:
    odd = '{"type":"x","t":"a\u2028b\u0085c\u000bd"}'.replace("\u000b", "\\u000b").encode()
    assert kinds(odd + b"\n" + A + b"\n") == []


def test_an_empty_file_is_one_row() -> None:
    row = only(b"")
    assert (row.kind, row.line) == ("empty_file", None)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("cut", range(1, len(B)))
def test_a_cut_last_line_is_torn_wherever_it_is_cut(cut: int, live: bool) -> None:
    data = A + b"\n" + B[:cut]
    row = only(data, live)
    assert row.kind == ("partial_last_line" if live else "torn_tail")
    assert place_of(row) == (2, len(A) + 1, cut)
    assert won(data) == [("a", False)]


def test_a_cut_right_after_an_inner_object_is_no_record() -> None:
    stub = b'{"type":"user","message":{"type":"message","uuid":"m"}'
    assert kinds(stub) == ["torn_tail"]
    assert kinds(stub + b"\n") == ["bad_json"]


def test_a_whole_last_line_without_lf_is_only_noted() -> None:
    row = only(A + b"\n" + B)
    assert (row.kind, place_of(row)) == ("no_final_newline", (2, len(A) + 1, len(B)))
    assert won(A + b"\n" + B) == [("a", False), ("b", False)]


@pytest.mark.parametrize("cut", range(1, len(B)))
def test_a_stub_before_a_record_is_a_splice_wherever_it_was_cut(cut: int) -> None:
    data = A + b"\n" + B[:cut] + C + b"\n"
    row = only(data)
    assert row.kind == "splice"
    assert place_of(row) == (2, len(A) + 1, cut)
    assert row.recovered == 1
    piece, record, _ = read(data)[1]
    assert record is not None
    assert record.type == "c"
    assert data[piece.offset : piece.offset + piece.length] == C


def test_a_stub_that_ends_where_a_value_is_due_is_told_by_the_record_keys() -> None:
    record = b'{"parentUuid":null,"uuid":"u9","type":"user"}'
    row = only(b'{"type":"x","message":' + record + b"\n")
    assert (row.kind, row.length) == ("splice", len(b'{"type":"x","message":'))


def test_several_records_behind_a_stub_are_all_won() -> None:
    data = B[:20] + A + C + b"\n"
    assert kinds(data) == ["splice", "missing_newline"]
    assert won(data) == [("a", True), ("c", True)]


def test_junk_behind_a_record_leaves_the_record() -> None:
    row = only(A + b"garbage\n")
    assert (row.kind, row.offset, row.length) == ("splice", len(A), 7)
    assert won(A + b"garbage\n") == [("a", True)]


def test_glued_records_say_where_a_line_end_belongs() -> None:
    data = C + b"\n" + A + B + C + b"\n"
    row = only(data)
    start = len(C) + 1
    assert row.kind == "missing_newline"
    places = [start + len(A), start + len(A) + len(B)]
    assert row.at == places
    assert row.recovered == 3
    for at in reversed(places):
        data = data[:at] + b"\n" + data[at:]
    assert kinds(data) == []


def test_a_record_over_several_lines_is_joined() -> None:
    data = A + b"\n" + BROKEN + b"\n" + C + b"\n"
    row = only(data)
    assert row.kind == "raw_newline"
    assert place_of(row) == (2, len(A) + 1, len(BROKEN))
    assert "4 lines" in row.detail
    assert row.at == [at for at, byte in enumerate(data) if byte == 10][1:4]
    assert [(piece.line, bool(record)) for piece, record, _ in read(data)] == [
        (1, True),
        (2, True),
        (6, True),
    ]
    assert json.loads(bytes(read(data)[1][0].raw))["text"] == "one\ntwo\n\nthree"


def test_joining_stops_at_a_line_that_is_a_record() -> None:
    data = b'{"type":"r","text":"one\n' + A + b'\n"}\n' + C + b"\n"
    assert kinds(data) == ["bad_json", "bad_json"]
    assert won(data) == [("a", False), ("c", False)]


def test_a_record_written_with_line_ends_between_its_tokens_is_joined() -> None:
    data = json.dumps({"type": "p", "n": 1, "x": [1, {"y": 2}]}, indent=1).encode() + b"\n"
    row = only(data + A + b"\n")
    assert (row.kind, row.length, row.fixable) == ("raw_newline", len(data) - 1, True)
    assert row.at is not None
    assert row.fills == [" "] * len(row.at)
