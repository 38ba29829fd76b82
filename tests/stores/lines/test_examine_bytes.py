"""Bytes that are no text: the intake takes them out of a line and keeps its record."""

import json

import pytest
from examined import A, B, Record, only, place_of, read, rows_of, won


@pytest.mark.parametrize("where", ["before", "after", "own line", "end"])
def test_nul_runs_go_and_records_stay(where: str) -> None:
    run = b"\0" * 512
    data = {
        "before": A + b"\n" + run + B + b"\n",
        "after": A + b"\n" + B + run + b"\n",
        "own line": A + b"\n" + run + b"\n" + B + b"\n",
        "end": A + b"\n" + B + b"\n" + run,
    }[where]
    row = only(data)
    assert row.kind == "nul_region"
    assert (row.offset, row.length) == (data.index(run), 512)
    assert [name for name, _ in won(data)] == ["a", "b"]


def test_nul_bytes_inside_a_string_or_a_number_are_taken_out() -> None:
    for data in (A.replace(b'"a"', b'"\0\0a"'), A.replace(b":1}", b":1\0\0}"), b"\0{\0}\0"):
        [(piece, record, rows)] = read(data + b"\n")
        assert {row.kind for row in rows} == {"nul_region"}
        assert piece.recovered
        assert record is not None
        assert b"\0" not in bytes(piece.raw)
    assert json.loads(bytes(read(A.replace(b":1}", b":1\x000}") + b"\n")[0][0].raw))["n"] == 10


def test_many_nul_runs_are_summed_up() -> None:
    rows = rows_of(read(b'{"type":"' + b"x\0" * 100 + b'"}\n'))
    assert len(rows) == 21
    assert rows[-1].detail == "80 more runs of NUL bytes"


def test_a_nul_run_between_stub_and_record_is_a_run_and_a_splice() -> None:
    data = B[:30] + b"\0" * 16 + A + b"\n"
    assert sorted((row.kind, row.offset, row.length) for row in rows_of(read(data))) == [
        ("nul_region", 30, 16),
        ("splice", 0, 30),
    ]


def test_ids_are_salvaged_from_a_line_that_does_not_parse() -> None:
    row = only(b'{"parentUuid":"p1","uuid":"u1","type":oops}\n')
    assert (row.kind, row.raw_id, row.raw_parent) == ("bad_json", "u1", "p1")
    assert not row.fixable
    piece, record, _ = read(b'{"parentUuid":null,"uuid":oops}\n')[0]
    assert (piece.raw, piece.recovered, record, piece.obj) == (b"", False, None, None)


def test_raw_control_characters_in_strings_are_escaped() -> None:
    data = b'{"type":"a\tb",\t"uuid":"\x1b[0m"}\n'
    row = only(data)
    assert (row.kind, row.at, row.fixable) == ("bad_json", [10, 23], True)
    [(piece, record, _)] = read(data)
    assert record == Record("a\tb", "\x1b[0m")
    assert piece.recovered


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    data = b'{"type":"caf\xe9 \xe2\x82","uuid":"\xc3\xa9"}\n'
    row = only(data)
    assert (row.kind, row.at) == ("invalid_utf8", [12, 14, 15])
    assert read(data)[0][1] == Record("caf\ufffd \ufffd", "\u00e9")


def test_half_pairs_are_replaced_and_pairs_kept() -> None:
    data = rb'{"type":"\ud83d","x":"\\ud83d \ud83d\ude00 \ude00\ud83d\ud83d\ude00","uuid":"u"}'
    row = only(data + b"\n")
    assert row.kind == "lone_surrogate"
    assert row.at == [9, data.index(rb" \ude00\ud83d\ud83d") + 1, data.index(rb"\ud83d\ud83d")]
    piece = read(data + b"\n")[0][0]
    assert json.loads(bytes(piece.raw))["x"] == "\\ud83d \U0001f600 \ufffd\ufffd\U0001f600"


def test_a_byte_order_mark_stands_apart_from_the_first_record() -> None:
    data = b"\xef\xbb\xbf" + A + b"\n"
    row = only(data)
    assert (row.kind, place_of(row)) == ("bom", (1, 0, 3))
    piece, record, _ = read(data)[0]
    assert (piece.offset, piece.length, record) == (3, len(A), Record("a", "u1", 1))
    row = only(A + b"\n" + data)
    assert (row.kind, row.offset, row.length) == ("splice", len(A) + 1, 3)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_another_encoding_is_one_row_a_file(encoding: str) -> None:
    data = (A + b"\n" + B + b"\n").decode().encode(encoding)
    assert only(data).kind == "unknown_encoding"
    assert won(data) == []


def test_cr_lf_is_noted_once() -> None:
    data = A + b"\r\n" + B + b"\r\n" + b"\r\n"
    rows = rows_of(read(data))
    assert [(row.kind, row.detail) for row in rows] == [
        ("crlf", "3 lines end in CR LF"),
        ("not_a_record", "1 blank line"),
    ]
    assert [piece.raw for piece, record, _ in read(data) if record] == [A, B]


def test_blank_lines_are_summed_up_and_scalars_named() -> None:
    data = A + b"\n\n   \nnull\n[1]\n" + B + b"\n\n"
    rows = rows_of(read(data))
    assert [(row.kind, row.line, row.detail) for row in rows] == [
        ("not_a_record", 4, "the line is null"),
        ("not_a_record", 5, "the line is an array"),
        ("not_a_record", 2, "3 blank lines"),
    ]
    assert won(data) == [("a", False), ("b", False)]
