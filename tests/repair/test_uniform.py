"""The same change in many places is one edit, and makes the same bytes as the many."""

import io
import json
from pathlib import Path

import pytest
from desk import Desk, at, digest, only, patched, plan_of, source, unit
from hypothesis import given, settings
from hypothesis import strategies as st

from suture import api
from suture.model.edit import BytesEdit, RangeEdit, Shift, SpanEdit, Swap
from suture.model.errors import BadPlan
from suture.model.scope import Scope, Wanted
from suture.repair import applier, splice
from suture.repair.uniform import FEWEST, Together, folded

LINES = b"".join(b'{"ordinal":%d,"said":"ordinal"}\n' % n for n in range(90, 130))
SAID = b'{"say":"\\"ordinal\\":95"}\n'  # escaped: not the number of a record


def higher(data: bytes, by: int = 1) -> list[SpanEdit]:
    edits, offset = [], 0
    for line in data.splitlines(keepends=True):
        if line.startswith(b'{"ordinal":'):
            number = line[11 : line.index(b",")]
            made = (b"%d" % (int(number) + by),)
            edits.append(SpanEdit("a", offset + 11, len(number), made))
        offset += len(line)
    return edits


def rendered(edits: list[BytesEdit], data: bytes, chunk: int = splice.CHUNK) -> bytes:
    was, splice.CHUNK = splice.CHUNK, chunk
    try:
        return b"".join(splice.chunks(splice.forward(edits, len(data)), io.BytesIO(data)))
    finally:
        splice.CHUNK = was


def test_numbers_that_rise_alike_are_one_edit() -> None:
    (one,) = folded(higher(LINES), memoryview(LINES), Together.of(higher(LINES)))
    assert isinstance(one, RangeEdit)
    last = len(LINES) - len(b',"said":"ordinal"}\n')
    assert (one.offset, one.length) == (0, last)
    assert one.change == Shift(0, last, b'{"ordinal":', 1, 40, last + 1)
    assert rendered([one], LINES) == patched(LINES, higher(LINES))


def test_what_only_looks_alike_is_left_and_parts_nothing() -> None:
    data = LINES[:600] + SAID + LINES[600:]
    assert LINES[599:600] != b"\n"
    data = b"\n".join([*LINES.splitlines()[:20], SAID.strip(), *LINES.splitlines()[20:], b""])
    (one,) = folded(higher(data), memoryview(data), Together.of(higher(data)))
    assert rendered([one], data) == patched(data, higher(data))
    assert SAID in rendered([one], data)


def test_a_number_that_stays_among_them_keeps_the_edits_apart() -> None:
    edits = higher(LINES)
    del edits[20]
    assert folded(edits, memoryview(LINES), Together.of(edits)) == edits


def test_an_edit_of_another_step_parts_them() -> None:
    other = SpanEdit("a", 700, 3, ())
    found = folded(higher(LINES), memoryview(LINES), Together.of([*higher(LINES), other]))
    assert len(found) == 2 and all(isinstance(edit, RangeEdit) for edit in found)
    splice.check_layout([*found, other], len(LINES))
    near = SpanEdit("a", 5, 3, ())  # in the word that would name the range
    assert folded(higher(LINES), memoryview(LINES), Together.of([*higher(LINES), near])) == higher(
        LINES
    )


def test_few_edits_stay_as_they_are() -> None:
    edits = higher(LINES)[: FEWEST - 1]
    assert folded(edits, memoryview(LINES), Together.of(edits)) == edits


def test_words_that_change_alike_are_one_edit() -> None:
    data = b'{"a":"\xff","b":1}\n' * 20
    edits = [SpanEdit("a", n * 16 + 6, 1, (b"?",)) for n in range(20)]
    (one,) = folded(edits, memoryview(data), Together.of(edits))
    assert isinstance(one, RangeEdit) and isinstance(one.change, Swap)
    assert rendered([one], data) == patched(data, edits)


numbers = st.lists(st.integers(0, 1200), min_size=1, max_size=30)


@settings(deadline=None)
@given(numbers, st.sampled_from([-1, 1, 9, 1000]), st.integers(1, 40), st.booleans())
def test_one_edit_or_many_make_the_same(found: list[int], by: int, chunk: int, glued: bool) -> None:
    found = [number for number in found if number + by >= 0]
    end = b"" if glued else b"\n"
    data = b"".join(b'{"ordinal":%d,"x":"ordinal"}%s' % (n, end) for n in found)
    edits, offset = [], 0
    for number in found:
        text = b"%d" % number
        edits.append(SpanEdit("a", offset + 11, len(text), (b"%d" % (number + by),)))
        offset += 11 + len(text) + len(b',"x":"ordinal"}') + len(end)
    made = folded(edits, memoryview(data), Together.of(edits))
    assert len(made) == (1 if len(edits) >= FEWEST else len(edits))
    assert rendered(made, data, chunk) == patched(data, edits)
    assert sum(map(splice.after_size, made)) - sum(e.length for e in made) == sum(
        splice.after_size(edit) - edit.length for edit in edits
    )


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def test_a_range_is_applied_and_undone(desk: Desk) -> None:
    path, after = desk.write("a.jsonl", LINES), patched(LINES, higher(LINES))
    (one,) = folded(higher(LINES), memoryview(LINES), Together.of(higher(LINES)))
    assert isinstance(one, RangeEdit)
    edit = RangeEdit(str(path), one.offset, one.length, one.change)
    before = desk.contents()
    done = desk.apply(plan_of(unit([source(path, LINES, after)], edit)))
    assert only(done.outcomes)[0] == "applied"
    assert path.read_bytes() == after
    desk.undo(str(done.journal))
    assert desk.contents() == before


def test_a_range_without_a_key_is_refused(desk: Desk) -> None:
    path = desk.write("a.jsonl", LINES)
    edit = RangeEdit(str(path), 0, 20, Shift(0, 20, b"", 1, 1, 20))
    state = source(path, LINES, LINES)
    state = type(state)(state.path, state.size, state.sha256, state.path, len(LINES), digest(b"?"))
    with pytest.raises(BadPlan, match="plan"):
        desk.apply(plan_of(unit([state], edit)))


def test_records_that_are_numbered_again_are_one_edit_of_the_plan(tmp_path: Path) -> None:
    store, journal = tmp_path / "store", tmp_path / "journal"
    store.mkdir()
    (sample,) = (Path(__file__).parents[2] / "sample_data/codex/healthy").rglob("*.jsonl")
    lines = []
    for line in sample.read_bytes().splitlines(keepends=True):
        number = int(json.loads(line)["ordinal"])
        low = number - 1 if number >= 20 else number  # one stands twice
        lines.append(line.replace(b'"ordinal":%d,' % number, b'"ordinal":%d,' % low, 1))
    path = store / sample.name
    path.write_bytes(b"".join(lines))
    plan = api.plan(Scope((str(store),), assume="dead"), Wanted(), tmp_path / "plan.json")
    ((edit,),) = (step.edits for step in plan.units[0].steps)
    assert isinstance(edit, RangeEdit) and isinstance(edit.change, Shift)
    assert (edit.change.count, edit.change.by) == (33, 1)
    done = api.apply(tmp_path / "plan.json", journal)
    assert done.exit_code == 0
    assert path.read_bytes() == sample.read_bytes()
    assert api.journal_extract(str(done.journal), 1, journal).startswith(b'Z","ordinal":19,')
    api.undo(done.journal, journal)
    assert path.read_bytes() == b"".join(lines)
