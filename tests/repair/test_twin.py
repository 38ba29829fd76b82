"""A file made from stretches of another is what the edits and the new id say, byte for byte."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from desk import Desk, at, digest, only, plan_of
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from suture.model.edit import Copy, SpanEdit, Swap, TwinEdit
from suture.model.errors import BadPlan
from suture.model.plan import Plan
from suture.repair import applier, splice, twin
from suture.repair.layout import Patch
from suture.repair.patches import chunks

OLD, NEW = b'"aa"', b'"bb"'
text = st.lists(st.sampled_from([b'"aa"', b'"', b"a", b'aa"', b"x", b"\n"]), max_size=12).map(
    b"".join
)


@st.composite
def patched(draw: st.DrawFn) -> tuple[bytes, list[Patch]]:
    original, position = draw(text), 0
    patches: list[Patch] = []
    for step in range(draw(st.integers(0, 3))):
        if position > len(original):
            break
        offset = draw(st.integers(position, len(original)))
        length = draw(st.integers(0, len(original) - offset))
        if offset == position and length == 0 and patches:
            continue
        low = draw(st.integers(0, len(original)))
        copy = Copy(low, draw(st.integers(0, len(original) - low)))
        patches.append(Patch(offset, length, (draw(text), copy), step))
        position = offset + length + 1
    return original, patches


@settings(deadline=None)
@given(patched(), st.data(), st.integers(1, 5))
def test_parts_make_the_patched_file_with_the_new_id(
    made: tuple[bytes, list[Patch]], data: st.DataObject, chunk: int
) -> None:
    original, patches = made
    whole = b"".join(bytes(c) for c in chunks(memoryview(original), patches))
    holders: list[int] = []
    while (found := whole.find(OLD, holders[-1] + len(OLD) if holders else 0)) >= 0:
        holders.append(found)
    at = data.draw(st.lists(st.sampled_from(holders), unique=True)) if holders else []
    wanted = bytearray(whole)
    for offset in at:
        wanted[offset : offset + len(OLD)] = NEW
    parts = twin.parts(memoryview(original), patches, sorted(at), OLD, NEW)
    assert rendered(parts, original, chunk) == bytes(wanted)


def rendered(parts: Sequence[bytes | Copy | Swap], original: bytes, chunk: int) -> bytes:
    """Read in small bites, so that the id lies across two of them."""
    was, splice.CHUNK = splice.CHUNK, chunk
    try:
        return b"".join(splice.chunks(parts, io.BytesIO(original)))
    finally:
        splice.CHUNK = was


def test_many_places_are_one_swap() -> None:
    lines = b'{"id":"aa"}\n' * 1000
    at = [n * 12 + 6 for n in range(1000)]
    assert twin.parts(memoryview(lines), (), at, OLD, NEW) == (Swap(0, len(lines), OLD, NEW, 1000),)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


LINES = b'{"id":"aa"}\n{"say":"aa"}\n'


def test_a_twin_is_written_beside_the_old_and_undone(desk: Desk) -> None:
    plan = desk.twin()
    before = desk.contents()
    done = desk.apply(plan)
    assert only(done.outcomes)[0] == "applied"
    after = desk.contents()
    assert after.pop("folder/bb.jsonl")[:2] == (b'{"id":"bb"}\n{"say":"aa"}\n{"end":1}\n', 0o100640)
    assert after == before
    desk.undo(str(done.journal))
    assert desk.contents() == before
    assert not (desk.store / "folder").exists()


def changed(plan: Plan, edit: TwinEdit) -> Plan:
    (one,) = plan.units
    return plan_of(replace(one, steps=(replace(one.steps[0], edits=(edit,)),)))


def test_a_twin_of_other_bytes_is_not_made(desk: Desk) -> None:
    plan = desk.twin()
    before = desk.contents()
    edit = plan.units[0].steps[0].edits[0]
    assert isinstance(edit, TwinEdit)
    more = replace(edit, after=(replace(edit.after[0], count=2), *edit.after[1:]))  # type: ignore[type-var]
    status, code, reason = only(desk.apply(changed(plan, more)).outcomes)
    assert (status, code) == ("skipped", 2)
    assert "2 places were to be changed and 1 are there" in reason
    desk.write("aa.jsonl", LINES.replace(b"say", b"SAY"))
    assert only(desk.apply(plan).outcomes)[:2] == ("skipped", 4)
    desk.write("aa.jsonl", LINES)
    assert desk.contents() == before


@pytest.mark.parametrize("what", ["unknown origin", "longer", "origin changes"])
def test_a_twin_that_cannot_be_is_refused(desk: Desk, what: str) -> None:
    plan = desk.twin()
    (one,) = plan.units
    edit = one.steps[0].edits[0]
    assert isinstance(edit, TwinEdit)
    match what:
        case "unknown origin":
            plan = changed(plan, replace(edit, origin="/etc/passwd"))
        case "longer":
            plan = changed(plan, replace(edit, after=(*edit.after, b"more")))
        case _:
            cut = SpanEdit(one.sources[0].path, 0, 12, (), digest(LINES[:12]))
            state = replace(one.sources[0], after_size=13, after_sha256=digest(LINES[12:]))
            step = replace(one.steps[0], edits=(cut, edit))
            plan = plan_of(replace(one, sources=(state, one.sources[1]), steps=(step,)))
    before = desk.contents()
    with pytest.raises(BadPlan, match="plan"):
        desk.apply(plan)
    assert desk.contents() == before
