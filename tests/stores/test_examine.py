"""The intake finds what is wrong with a line, and wins what can be won from it."""

import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from suture.model.rows import DamageRow
from suture.stores._encoding import bad_bytes, is_utf8
from suture.stores._jsonl import Piece, duplicate_keys, intake


class Record(msgspec.Struct):
    type: str | None = None
    uuid: str | None = None
    n: int | None = None


_decode = msgspec.json.Decoder(Record).decode
A = b'{"type":"a","uuid":"u1","n":1}'
B = b'{"type":"b","uuid":"u2","n":2,"text":"some text"}'
C = b'{"type":"c","uuid":"u3","sessionId":"s","n":3}'
Read = list[tuple[Piece, Record | None, list[DamageRow]]]


def _read(data: bytes, live: bool = False) -> Read:
    return list(intake(3, "log.jsonl", memoryview(data), _decode, live))


def _rows(read: Read) -> list[DamageRow]:
    return [row for _, _, rows in read for row in rows]


def _kinds(data: bytes, live: bool = False) -> list[str]:
    return [row.kind for row in _rows(_read(data, live))]


def _only(data: bytes, live: bool = False) -> DamageRow:
    [row] = _rows(_read(data, live))
    return row


def _won(data: bytes) -> list[tuple[str | None, bool]]:
    return [(record.type, piece.recovered) for piece, record, _ in _read(data) if record]


def _place(row: DamageRow) -> tuple[int | None, int | None, int | None]:
    return row.line, row.offset, row.length


def test_whole_lines_are_records_with_their_place() -> None:
    data = A + b"\n" + B + b"\n" + C + b"\n"
    read = _read(data)
    assert [row for _, _, rows in read for row in rows] == []
    assert [piece.line for piece, _, _ in read] == [1, 2, 3]
    for (piece, _, _), raw in zip(read, (A, B, C), strict=True):
        assert data[piece.offset : piece.offset + piece.length] == piece.raw == raw
        assert not piece.recovered


def test_lines_longer_than_a_block_are_whole() -> None:
    long = b'{"type":"long","x":"' + b"y" * 3_000_000 + b'"}'
    data = A + b"\n" + long + b"\n" + long + b"\n" + C + b"\n"
    assert [name for name, _ in _won(data)] == ["a", "long", "long", "c"]
    assert _kinds(data) == []


def test_only_lf_ends_a_line() -> None:
    odd = '{"type":"x","t":"a\u2028b\u0085c\u000bd"}'.replace("\u000b", "\\u000b").encode()
    assert _kinds(odd + b"\n" + A + b"\n") == []


def test_an_empty_file_is_one_row() -> None:
    row = _only(b"")
    assert (row.kind, row.line) == ("empty_file", None)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("cut", range(1, len(B)))
def test_a_cut_last_line_is_torn_wherever_it_is_cut(cut: int, live: bool) -> None:
    data = A + b"\n" + B[:cut]
    row = _only(data, live)
    assert row.kind == ("partial_last_line" if live else "torn_tail")
    assert _place(row) == (2, len(A) + 1, cut)
    assert _won(data) == [("a", False)]


def test_a_cut_right_after_an_inner_object_is_no_record() -> None:
    stub = b'{"type":"user","message":{"type":"message","uuid":"m"}'
    assert _kinds(stub) == ["torn_tail"]
    assert _kinds(stub + b"\n") == ["bad_json"]


def test_a_whole_last_line_without_lf_is_only_noted() -> None:
    row = _only(A + b"\n" + B)
    assert (row.kind, _place(row)) == ("no_final_newline", (2, len(A) + 1, len(B)))
    assert _won(A + b"\n" + B) == [("a", False), ("b", False)]


@pytest.mark.parametrize("cut", range(1, len(B)))
def test_a_stub_before_a_record_is_a_splice_wherever_it_was_cut(cut: int) -> None:
    data = A + b"\n" + B[:cut] + C + b"\n"
    row = _only(data)
    assert row.kind == "splice"
    assert _place(row) == (2, len(A) + 1, cut)
    assert row.recovered == 1
    piece, record, _ = _read(data)[1]
    assert record is not None
    assert record.type == "c"
    assert data[piece.offset : piece.offset + piece.length] == C


def test_a_stub_that_ends_where_a_value_is_due_is_told_by_the_record_keys() -> None:
    record = b'{"parentUuid":null,"uuid":"u9","type":"user"}'
    row = _only(b'{"type":"x","message":' + record + b"\n")
    assert (row.kind, row.length) == ("splice", len(b'{"type":"x","message":'))


def test_several_records_behind_a_stub_are_all_won() -> None:
    data = B[:20] + A + C + b"\n"
    assert _kinds(data) == ["splice", "missing_newline"]
    assert _won(data) == [("a", True), ("c", True)]


def test_junk_behind_a_record_leaves_the_record() -> None:
    row = _only(A + b"garbage\n")
    assert (row.kind, row.offset, row.length) == ("splice", len(A), 7)
    assert _won(A + b"garbage\n") == [("a", True)]


def test_glued_records_say_where_a_line_end_belongs() -> None:
    data = C + b"\n" + A + B + C + b"\n"
    row = _only(data)
    start = len(C) + 1
    assert row.kind == "missing_newline"
    places = [start + len(A), start + len(A) + len(B)]
    assert row.at == places
    assert row.recovered == 3
    for at in reversed(places):
        data = data[:at] + b"\n" + data[at:]
    assert _kinds(data) == []


BROKEN = b'{"type":"r","n":1,"text":"one\ntwo\n\nthree"}'


def test_a_record_over_several_lines_is_joined() -> None:
    data = A + b"\n" + BROKEN + b"\n" + C + b"\n"
    row = _only(data)
    assert row.kind == "raw_newline"
    assert _place(row) == (2, len(A) + 1, len(BROKEN))
    assert "4 lines" in row.detail
    assert row.at == [at for at, byte in enumerate(data) if byte == 10][1:4]
    assert [(piece.line, bool(record)) for piece, record, _ in _read(data)] == [
        (1, True),
        (2, True),
        (6, True),
    ]
    assert json.loads(bytes(_read(data)[1][0].raw))["text"] == "one\ntwo\n\nthree"


def test_joining_stops_at_a_line_that_is_a_record() -> None:
    data = b'{"type":"r","text":"one\n' + A + b'\n"}\n' + C + b"\n"
    assert _kinds(data) == ["bad_json", "bad_json"]
    assert _won(data) == [("a", False), ("c", False)]


def test_a_record_written_with_line_ends_between_its_tokens_is_joined() -> None:
    data = json.dumps({"type": "p", "n": 1, "x": [1, {"y": 2}]}, indent=1).encode() + b"\n"
    row = _only(data + A + b"\n")
    assert (row.kind, row.length, row.fixable) == ("raw_newline", len(data) - 1, True)
    assert row.at is not None
    assert row.fills == [" "] * len(row.at)


@pytest.mark.parametrize("where", ["before", "after", "own line", "end"])
def test_nul_runs_go_and_records_stay(where: str) -> None:
    run = b"\0" * 512
    data = {
        "before": A + b"\n" + run + B + b"\n",
        "after": A + b"\n" + B + run + b"\n",
        "own line": A + b"\n" + run + b"\n" + B + b"\n",
        "end": A + b"\n" + B + b"\n" + run,
    }[where]
    row = _only(data)
    assert row.kind == "nul_region"
    assert (row.offset, row.length) == (data.index(run), 512)
    assert [name for name, _ in _won(data)] == ["a", "b"]


def test_nul_bytes_inside_a_string_or_a_number_are_taken_out() -> None:
    for data in (A.replace(b'"a"', b'"\0\0a"'), A.replace(b":1}", b":1\0\0}"), b"\0{\0}\0"):
        [(piece, record, rows)] = _read(data + b"\n")
        assert {row.kind for row in rows} == {"nul_region"}
        assert piece.recovered
        assert record is not None
        assert b"\0" not in bytes(piece.raw)
    assert json.loads(bytes(_read(A.replace(b":1}", b":1\x000}") + b"\n")[0][0].raw))["n"] == 10


def test_many_nul_runs_are_summed_up() -> None:
    rows = _rows(_read(b'{"type":"' + b"x\0" * 100 + b'"}\n'))
    assert len(rows) == 21
    assert rows[-1].detail == "80 more runs of NUL bytes"


def test_a_nul_run_between_stub_and_record_is_a_run_and_a_splice() -> None:
    data = B[:30] + b"\0" * 16 + A + b"\n"
    assert sorted((row.kind, row.offset, row.length) for row in _rows(_read(data))) == [
        ("nul_region", 30, 16),
        ("splice", 0, 30),
    ]


def test_ids_are_salvaged_from_a_line_that_does_not_parse() -> None:
    row = _only(b'{"parentUuid":"p1","uuid":"u1","type":oops}\n')
    assert (row.kind, row.raw_id, row.raw_parent) == ("bad_json", "u1", "p1")
    assert not row.fixable
    piece, record, _ = _read(b'{"parentUuid":null,"uuid":oops}\n')[0]
    assert (piece.raw, piece.recovered, record, piece.obj) == (b"", False, None, None)


def test_raw_control_characters_in_strings_are_escaped() -> None:
    data = b'{"type":"a\tb",\t"uuid":"\x1b[0m"}\n'
    row = _only(data)
    assert (row.kind, row.at, row.fixable) == ("bad_json", [10, 23], True)
    [(piece, record, _)] = _read(data)
    assert record == Record("a\tb", "\x1b[0m")
    assert piece.recovered


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    data = b'{"type":"caf\xe9 \xe2\x82","uuid":"\xc3\xa9"}\n'
    row = _only(data)
    assert (row.kind, row.at) == ("invalid_utf8", [12, 14, 15])
    assert _read(data)[0][1] == Record("caf\ufffd \ufffd", "\u00e9")


def test_half_pairs_are_replaced_and_pairs_kept() -> None:
    data = rb'{"type":"\ud83d","x":"\\ud83d \ud83d\ude00 \ude00\ud83d\ud83d\ude00","uuid":"u"}'
    row = _only(data + b"\n")
    assert row.kind == "lone_surrogate"
    assert row.at == [9, data.index(rb" \ude00\ud83d\ud83d") + 1, data.index(rb"\ud83d\ud83d")]
    piece = _read(data + b"\n")[0][0]
    assert json.loads(bytes(piece.raw))["x"] == "\\ud83d \U0001f600 \ufffd\ufffd\U0001f600"


def test_a_byte_order_mark_stands_apart_from_the_first_record() -> None:
    data = b"\xef\xbb\xbf" + A + b"\n"
    row = _only(data)
    assert (row.kind, _place(row)) == ("bom", (1, 0, 3))
    piece, record, _ = _read(data)[0]
    assert (piece.offset, piece.length, record) == (3, len(A), Record("a", "u1", 1))
    row = _only(A + b"\n" + data)
    assert (row.kind, row.offset, row.length) == ("splice", len(A) + 1, 3)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_another_encoding_is_one_row_a_file(encoding: str) -> None:
    data = (A + b"\n" + B + b"\n").decode().encode(encoding)
    assert _only(data).kind == "unknown_encoding"
    assert _won(data) == []


def test_cr_lf_is_noted_once() -> None:
    data = A + b"\r\n" + B + b"\r\n" + b"\r\n"
    rows = _rows(_read(data))
    assert [(row.kind, row.detail) for row in rows] == [
        ("crlf", "3 lines end in CR LF"),
        ("not_a_record", "1 blank line"),
    ]
    assert [piece.raw for piece, record, _ in _read(data) if record] == [A, B]


def test_blank_lines_are_summed_up_and_scalars_named() -> None:
    data = A + b"\n\n   \nnull\n[1]\n" + B + b"\n\n"
    rows = _rows(_read(data))
    assert [(row.kind, row.line, row.detail) for row in rows] == [
        ("not_a_record", 4, "the line is null"),
        ("not_a_record", 5, "the line is an array"),
        ("not_a_record", 2, "3 blank lines"),
    ]
    assert _won(data) == [("a", False), ("b", False)]


def test_a_wrong_type_keeps_the_object() -> None:
    [(piece, record, [row])] = _read(b'{"type":["x"],"uuid":"u"}\n')
    assert (row.kind, row.field, record) == ("bad_shape", "type", None)
    assert piece.obj == {"type": ["x"], "uuid": "u"}
    assert not piece.recovered


def test_numbers_that_readers_disagree_on_are_named() -> None:
    data = b'{"type":"a","x":[NaN,-Infinity,"NaN"]}\n'
    row = _only(data)
    assert (row.kind, row.at) == ("bad_number", [17, 21])
    assert _won(data) == [("a", True)]
    assert _kinds(b'{"type":3,"x":' + b"9" * 6000 + b"}\n") == ["bad_shape", "bad_number"]


def test_equal_keys_are_found_by_their_path() -> None:
    assert duplicate_keys(b'{"a":{"b":[{"c":1,"c":2}]},"d":1,"d":2}') == ["a.b.0.c", "d"]
    assert duplicate_keys(b'{"a":{"c":1},"b":{"c":1}}') == []
    assert duplicate_keys(b"[" * 100_000) == []
    rows = _rows(_read(b'{"type":1,"k":1,"k":2}\n'))
    assert [(row.kind, row.field) for row in rows] == [
        ("bad_shape", "type"),
        ("duplicate_key", "k"),
    ]


@pytest.mark.parametrize("levels", [600, 100_000])
@pytest.mark.parametrize("pair", [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_a_row(levels: int, pair: tuple[bytes, bytes]) -> None:
    deep = pair[0] * levels + b"1" + pair[1] * levels
    data = A + b"\n" + b'{"type":"d","x":' + deep + b"}\n" + B + b"\n"
    assert _only(data).kind == "too_deep"
    names = [name for name, _ in _won(data)]
    assert names == (["a", "d", "b"] if levels == 600 else ["a", "b"])


def test_brackets_in_strings_are_no_depth() -> None:
    text = json.dumps({"type": "s", "x": '\\"' + "[{" * 2000 + "]}" * 2000 + "\\"})
    assert _kinds(text.encode() + b"\n") == []


def test_a_control_byte_between_tokens_costs_its_record_only() -> None:
    data = A + b'{"type":"x"\x1b}' + b"\n"
    assert _kinds(data) == ["splice"]
    assert _won(data) == [("a", True)]
    assert _kinds(b'{"type":"x"\x1b}\n') == ["bad_json"]


def test_damages_of_one_line_come_together() -> None:
    data = b"\xef\xbb\xbf" + B[:12] + b"\0\0" + b'{"type":"\xff\\ud83d\t"}' + C + b"\n"
    assert sorted(_kinds(data)) == [
        "bad_json",
        "bom",
        "invalid_utf8",
        "lone_surrogate",
        "missing_newline",
        "nul_region",
        "splice",
    ]
    assert _won(data) == [("\ufffd\ufffd\t", True), ("c", True)]


@given(st.binary(max_size=200))
@example(b"\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80")
def test_bad_bytes_are_those_that_decoding_escapes(raw: bytes) -> None:
    text = raw.decode("utf-8", "surrogateescape")
    bad, at = [], 0
    for char in text:
        escaped = 0xDC80 <= ord(char) <= 0xDCFF
        bad += [at] if escaped else []
        at += 1 if escaped else len(char.encode())
    assert bad_bytes(raw, 1000) == bad
    assert is_utf8(raw) is (not bad)
    assert is_utf8(b"x" * 5000 + raw) is (not bad)


_junk = st.sampled_from(
    [
        *(A, B, C, BROKEN, B[:9], B[:22], b"NaN", b" null ", b"\xef\xbb\xbf", b"\\ud83d", b"\r\n"),
        *(b"\n", b"\n\n", b"\0", b"\0\0\0", b"\t", b"\x1b", b"\xff", b'"', b"\\"),
        *(b"{", b"}", b"[", b"]", b",", b":"),
    ]
)


@given(st.lists(_junk | st.binary(max_size=4), max_size=12), st.booleans())
def test_any_bytes_are_read_without_a_crash_and_in_order(parts: list[bytes], live: bool) -> None:
    data = b"".join(parts)
    end = 0
    for piece, record, rows in _read(data, live):
        assert piece.offset >= end
        end = piece.offset + piece.length
        assert end <= len(data)
        assert piece.line == data.count(b"\n", 0, piece.offset) + 1
        if record is not None:
            assert isinstance(json.loads(bytes(piece.raw)), dict)
            assert piece.recovered or data[piece.offset : end] == piece.raw
        for row in rows:
            assert row.offset is not None
            assert row.length is not None
            assert 0 <= row.offset <= row.offset + row.length <= len(data)
            assert all(row.offset <= at <= row.offset + row.length for at in row.at or ())


@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=4) | st.just("type"), st.text() | st.integers() | st.none(), min_size=1
        ),
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
)
def test_healthy_lines_are_never_damage(objects: list[dict[str, Any]], ascii_only: bool) -> None:
    lines = [
        json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        for value in objects
    ]
    kinds = set(_kinds(b"".join(line + b"\n" for line in lines)))
    assert kinds <= {"bad_shape"}


_HOSTILE = (
    b'{"a' * 100_000,
    b'{"type":' * 100_000,
    b'{"a":"x' * 100_000,
    b'{"a":"' + b'\\"' * 300_000 + b"\n",
    b'{"":' * 100_000 + b'"' * 100_000,
    b'{"a":["x\n' * 30_000,
    b'{"type":"a","m":[' + b'{"type":"text","text":"hi"},' * 50_000 + b"\n",
    A * 30_000,
)


@pytest.mark.parametrize("data", _HOSTILE, ids=range(len(_HOSTILE)))
def test_hostile_lines_take_linear_time(data: bytes) -> None:
    start = time.perf_counter()
    _read(data)
    assert time.perf_counter() - start < 10  # seconds; a quadratic reader needs minutes
