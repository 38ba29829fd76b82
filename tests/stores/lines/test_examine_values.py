"""Values that readers disagree on, and lines of all kinds of bytes."""

import json
import time
from typing import Any

import pytest
from examined import BROKEN, A, B, C, kinds, only, read, rows_of, won
from hypothesis import example, given
from hypothesis import strategies as st

from suture.stores._encoding import bad_bytes, is_utf8
from suture.stores._jsonl import duplicate_keys


def test_a_wrong_type_keeps_the_object() -> None:
    [(piece, record, [row])] = read(b'{"type":["x"],"uuid":"u"}\n')
    assert (row.kind, row.field, record) == ("bad_shape", "type", None)
    assert piece.obj == {"type": ["x"], "uuid": "u"}
    assert not piece.recovered


def test_numbers_that_readers_disagree_on_are_named() -> None:
    data = b'{"type":"a","x":[NaN,-Infinity,"NaN"]}\n'
    row = only(data)
    assert (row.kind, row.at) == ("bad_number", [17, 21])
    assert won(data) == [("a", True)]
    assert kinds(b'{"type":3,"x":' + b"9" * 6000 + b"}\n") == ["bad_shape", "bad_number"]


def test_equal_keys_are_found_by_their_path() -> None:
    assert duplicate_keys(b'{"a":{"b":[{"c":1,"c":2}]},"d":1,"d":2}') == ["a.b.0.c", "d"]
    assert duplicate_keys(b'{"a":{"c":1},"b":{"c":1}}') == []
    assert duplicate_keys(b"[" * 100_000) == []
    rows = rows_of(read(b'{"type":1,"k":1,"k":2}\n'))
    assert [(row.kind, row.field) for row in rows] == [
        ("bad_shape", "type"),
        ("duplicate_key", "k"),
    ]


@pytest.mark.parametrize("levels", [600, 100_000])
@pytest.mark.parametrize("pair", [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_a_row(levels: int, pair: tuple[bytes, bytes]) -> None:
    deep = pair[0] * levels + b"1" + pair[1] * levels
    data = A + b"\n" + b'{"type":"d","x":' + deep + b"}\n" + B + b"\n"
    assert only(data).kind == "too_deep"
    names = [name for name, _ in won(data)]
    assert names == (["a", "d", "b"] if levels == 600 else ["a", "b"])


def test_brackets_in_strings_are_no_depth() -> None:
    text = json.dumps({"type": "s", "x": '\\"' + "[{" * 2000 + "]}" * 2000 + "\\"})
    assert kinds(text.encode() + b"\n") == []


def test_a_control_byte_between_tokens_costs_its_record_only() -> None:
    data = A + b'{"type":"x"\x1b}' + b"\n"
    assert kinds(data) == ["splice"]
    assert won(data) == [("a", True)]
    assert kinds(b'{"type":"x"\x1b}\n') == ["bad_json"]


def test_damages_of_one_line_come_together() -> None:
    data = b"\xef\xbb\xbf" + B[:12] + b"\0\0" + b'{"type":"\xff\\ud83d\t"}' + C + b"\n"
    assert sorted(kinds(data)) == [
        "bad_json",
        "bom",
        "invalid_utf8",
        "lone_surrogate",
        "missing_newline",
        "nul_region",
        "splice",
    ]
    assert won(data) == [("\ufffd\ufffd\t", True), ("c", True)]


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
    for piece, record, rows in read(data, live):
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
    found = set(kinds(b"".join(line + b"\n" for line in lines)))
    assert found <= {"bad_shape"}


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
    read(data)
    assert time.perf_counter() - start < 10  # seconds; a quadratic reader needs minutes
