"""Edits of later rounds, carried back to the original, give what the rounds gave."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from suture.model.edit import Copy, SpanEdit
from suture.repair.layout import Patch, render
from suture.repair.patches import chunks, clash, merge, patched_size

PATH = "log"


def naive(data: bytes, edits: list[SpanEdit]) -> bytes:
    """Apply edits of one round from the highest offset down."""
    source = memoryview(data)
    for edit in sorted(edits, key=lambda e: (e.offset, e.length), reverse=True):
        after = render(edit.after, source)
        data = data[: edit.offset] + after + data[edit.offset + edit.length :]
    return data


@st.composite
def rounds(draw: st.DrawFn) -> tuple[bytes, list[list[SpanEdit]]]:
    original = draw(st.binary(max_size=30))
    data = original
    made = []
    for _ in range(draw(st.integers(1, 4))):
        edits: list[SpanEdit] = []
        for _ in range(draw(st.integers(0, 4))):
            offset = draw(st.integers(0, len(data)))
            length = draw(st.integers(0, min(6, len(data) - offset)))
            start = draw(st.integers(0, len(data)))
            copied = Copy(start, draw(st.integers(0, len(data) - start)))
            part = draw(st.one_of(st.binary(max_size=4), st.just(copied)))
            edit = SpanEdit(PATH, offset, length, (part,))
            if not any(clash(edit, other) for other in edits):
                edits.append(edit)
        made.append(edits)
        data = naive(data, edits)
    return original, made


@given(rounds())
def test_merged_patches_render_what_the_rounds_gave(
    case: tuple[bytes, list[list[SpanEdit]]],
) -> None:
    original, made = case
    expected = original
    patches: tuple[Patch, ...] = ()
    step = 0
    for edits in made:
        numbered = []
        for edit in edits:
            step += 1
            numbered.append((edit, step))
        patches, _ = merge(memoryview(original), patches, numbered)
        expected = naive(expected, edits)
        assert b"".join(bytes(c) for c in chunks(memoryview(original), patches)) == expected
        assert patched_size(len(original), patches) == len(expected)


@given(rounds())
def test_patches_never_overlap_in_the_original(case: tuple[bytes, list[list[SpanEdit]]]) -> None:
    original, made = case
    patches: tuple[Patch, ...] = ()
    for number, edits in enumerate(made):
        patches, _ = merge(memoryview(original), patches, [(edit, number) for edit in edits])
        for one, two in pairwise(patches):
            assert one.end <= two.offset


def test_a_step_that_touches_an_earlier_one_goes_into_it() -> None:
    original = memoryview(b"0123456789")
    patches, merged = merge(original, (), [(SpanEdit(PATH, 4, 0, (b"abc",)), 1)])
    assert not merged
    patches, merged = merge(original, patches, [(SpanEdit(PATH, 5, 1, (b"X",)), 2)])
    assert merged == {2: 1}
    assert patches == (Patch(4, 0, (b"a", b"X", b"c"), 1),)


def test_a_patch_that_only_takes_out_is_not_forgotten() -> None:
    """It starts where the next stretch starts, which another edit of the round changes."""
    original = memoryview(b"0123456789")
    taken_out, put_in = Patch(4, 2, (), 1), Patch(9, 0, (b"x",), 2)
    assert b"".join(bytes(c) for c in chunks(original, [taken_out, put_in])) == b"0123678x9"
    edits = [(SpanEdit(PATH, 6, 2, (b"Y",)), 3), (SpanEdit(PATH, 3, 2, (b"Z",)), 4)]
    patches, merged = merge(original, (taken_out, put_in), edits)
    assert b"".join(bytes(c) for c in chunks(original, patches)) == b"012Z7Y9"
    assert merged == {3: 2, 4: 1}
