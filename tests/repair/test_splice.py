"""Streaming edits gives what the plain way gives, and the way back gives the original."""

import io
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import pytest
from desk import patched
from hypothesis import given
from hypothesis import strategies as st

from suture.model.edit import Copy, SpanEdit
from suture.model.errors import BadPlan, StaleStore
from suture.model.packed import zstd
from suture.repair import splice


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, list[SpanEdit]]:
    data = draw(st.binary(max_size=60))
    marks = draw(st.lists(st.integers(0, len(data)), max_size=8, unique=True).map(sorted))
    edits = []
    for low, high in zip(marks[::2], marks[1::2], strict=False):
        length = draw(st.sampled_from([0, high - low]))
        parts = draw(st.lists(st.binary(max_size=5) | copies(len(data)), max_size=3))
        edits.append(SpanEdit("x", low, length, tuple(parts)))
    return data, draw(st.permutations(edits))


def copies(size: int) -> st.SearchStrategy[Copy]:
    return st.integers(0, size).flatmap(
        lambda offset: st.integers(0, size - offset).map(lambda length: Copy(offset, length))
    )


@given(edited(), st.integers(1, 7))
def test_streaming_equals_the_plain_way_and_inverts(
    case: tuple[bytes, list[SpanEdit]], chunk: int
) -> None:
    data, edits = case
    with patch.object(splice, "CHUNK", chunk):
        splice.check_layout(edits, len(data))
        old = io.BytesIO(data)
        new = b"".join(splice.chunks(splice.forward(edits, len(data)), old))
        assert new == patched(data, edits)
        saved = b"".join(splice.chunks(splice.removed(edits), old))
        pieces = splice.backward(edits, len(data))
        back = b"".join(splice.chunks(pieces, io.BytesIO(new), io.BytesIO(saved)))
        assert back == data


def test_edits_that_overlap_or_reach_beyond_the_file_are_refused() -> None:
    with pytest.raises(BadPlan, match="overlap at byte 3"):
        splice.check_layout([SpanEdit("x", 0, 4, ()), SpanEdit("x", 3, 1, ())], 10)
    with pytest.raises(BadPlan, match="reaches byte 11"):
        splice.check_layout([SpanEdit("x", 8, 3, ())], 10)
    with pytest.raises(BadPlan, match="reaches byte 12"):
        splice.check_layout([SpanEdit("x", 8, 0, (Copy(2, 10),))], 10)


def test_an_edit_must_find_the_bytes_that_it_takes_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"abcdef")
    good = SpanEdit(str(path), 1, 2, (), sha256(b"bc").hexdigest())
    bad = SpanEdit(str(path), 2, 2, (), sha256(b"bc").hexdigest())
    with path.open("rb") as file:
        splice.check_before([good], file)
        with pytest.raises(StaleStore, match="holds other bytes at 2"):
            splice.check_before([good, bad], file)


def test_a_file_that_shrinks_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"abc")
    with path.open("rb") as file, pytest.raises(StaleStore, match="became shorter"):
        list(splice.chunks([Copy(0, 4)], file))


def test_a_cut_frame_is_an_error_and_not_a_short_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(zstd.compress(bytes(range(256)) * 4000)[:-20])
    with pytest.raises(EOFError), splice.opened(str(path), str(tmp_path)):
        pass
