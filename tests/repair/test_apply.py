"""Applying changes exactly what the plan says, or nothing."""

from pathlib import Path

import pytest
from desk import MTIME_NS, Desk, at, one_file, only, plan_of, source, unit
from msgspec.structs import replace

from suture.model.edit import FileEdit
from suture.model.errors import ApplyFailed
from suture.model.plan import UnitPlan
from suture.repair import applier, journal
from suture.repair.extract import extract


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def test_undo_restores_every_byte_mode_and_time(desk: Desk) -> None:
    plan = desk.two_files()
    before = desk.contents()
    done = desk.apply(plan)
    assert [o.status for o in done.outcomes] == ["applied"]
    after = desk.contents()
    assert after["log.jsonl"] == (
        b'{"a":1}\n{"x":9}\n{"b":2}\n{"d":4}\n{"a":1}\n',
        0o100640,
        MTIME_NS,
    )
    assert after["index.json"] == (b"new index", 0o100600, MTIME_NS)
    assert after["side/new.txt"][0] == b"fresh"
    assert "gone.txt" not in after
    assert done.journal
    desk.undo(done.journal)
    assert desk.contents() == before
    assert not (desk.store / "side").exists()
    assert [o.status for o in desk.undo(done.journal)] == ["undone"]
    assert desk.contents() == before


def test_a_compressed_rollout_becomes_plain_and_comes_back(desk: Desk) -> None:
    plan = desk.compressed()
    before = desk.contents()
    done = desk.apply(plan)
    assert done.exit_code == 0
    (name,) = desk.contents()
    assert name == "rollout.jsonl"
    assert desk.contents()[name][0].endswith(b'{"a":1}\n{"end":1}\n{"a":1}\n')
    assert extract(desk.journal, str(done.journal), 1) == b'{"b":'
    desk.undo(str(done.journal))
    assert desk.contents() == before


def test_all_or_none_takes_back_what_was_done_when_a_later_unit_fails(desk: Desk) -> None:
    plan = plan_of(*(one_file(desk, name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")))
    before = desk.contents()
    desk.found = lambda unit: [] if unit.unit.endswith("b.jsonl") else list(unit.remaining)
    done = desk.apply(plan, all_or_none=True)
    assert [o.status for o in done.outcomes] == ["rolled_back", "rolled_back", "skipped"]
    assert done.exit_code == 5
    assert desk.contents() == before
    assert journal.unfinished(desk.journal) == []


def test_other_findings_than_planned_roll_back(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    before = desk.contents()
    for found in (["aa", "bb"], ["aa", "bb", "bb", "cc"], ["aa", "aa", "bb"]):
        desk.found = lambda unit, found=found: list(found)  # type: ignore[misc]  # bound now
        status, code, reason = only(desk.apply(plan).outcomes)
        assert (status, code) == ("rolled_back", 5)
        assert "unplanned finding" in reason
        assert desk.contents() == before
    desk.found = lambda unit: ["bb", "aa", "bb"]
    assert only(desk.apply(plan).outcomes) == ("applied", 0, "")


def test_a_bug_in_a_rule_or_ctrl_c_puts_the_unit_back(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    before = desk.contents()
    for error in (KeyboardInterrupt, ZeroDivisionError):

        def fail(unit: UnitPlan, error: type[BaseException] = error) -> list[str]:
            raise error

        desk.found = fail
        with pytest.raises(error):
            desk.apply(plan)
        assert desk.contents() == before
        assert journal.unfinished(desk.journal) == []


def test_a_unit_without_steps_is_not_touched(desk: Desk) -> None:
    path = desk.write("a.jsonl", b"x")
    done = desk.apply(plan_of(unit([source(path, b"x", b"x")])))
    assert (done.journal, [o.status for o in done.outcomes]) == (None, ["unchanged"])


def test_a_file_may_change_its_name_only(desk: Desk) -> None:
    path = desk.write("a.jsonl", b"data")
    state = replace(source(path, b"data", b"data"), after_path=str(desk.store / "b.jsonl"))
    step = replace(unit([state], FileEdit("x", None, b"")).steps[0], edits=())
    before = desk.contents()
    done = desk.apply(plan_of(replace(unit([state]), steps=(step,))))
    assert desk.contents() == {"b.jsonl": before["a.jsonl"]}
    desk.undo(str(done.journal))
    assert desk.contents() == before


def test_other_systems_are_told_what_works_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(one_file(desk))
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(ApplyFailed, match="Linux and macOS"):
        desk.apply(plan)
