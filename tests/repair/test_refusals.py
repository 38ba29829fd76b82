"""What an apply or an undo leaves alone: what moved, what is in use, a plan that is none."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import filelock
import pytest
from desk import Desk, at, digest, dumped, one_file, only, plan_of
from msgspec.structs import replace

from suture.model.errors import BadPlan, LiveWriter, StaleStore
from suture.model.files import Writer
from suture.model.plan import Plan, UnitPlan
from suture.repair import applier, journal, plan_json


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def test_a_plain_file_beside_the_compressed_one_stops_it(desk: Desk) -> None:
    plan = desk.compressed()
    desk.write("rollout.jsonl", b"mine")
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("skipped", 4)
    assert "rollout.jsonl is there by now" in reason


def test_a_file_that_changed_is_left_alone_and_others_go_on(desk: Desk) -> None:
    plan = plan_of(one_file(desk, "a.jsonl"), one_file(desk, "b.jsonl"))
    data = dumped(plan)
    stale = desk.write("a.jsonl", b'{"a":1}\n{"b":2}\n')
    done = desk.apply_bytes(data)
    assert [(o.status, o.exit_code) for o in done.outcomes] == [("skipped", 4), ("applied", 0)]
    assert "a.jsonl changed after the plan was made" in str(done.outcomes[0].reason)
    assert stale.read_bytes() == b'{"a":1}\n{"b":2}\n'
    assert done.exit_code == 4


def test_all_or_none_changes_nothing_when_one_unit_cannot(desk: Desk) -> None:
    plan = plan_of(one_file(desk, "a.jsonl"), one_file(desk, "b.jsonl"))
    data = dumped(plan)
    desk.write("b.jsonl", b"other")
    before = desk.contents()
    done = desk.apply_bytes(data, all_or_none=True)
    assert [o.status for o in done.outcomes] == ["skipped", "skipped"]
    assert done.journal is None
    assert desk.contents() == before


def test_a_live_writer_is_named_and_nothing_is_changed(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    done = desk.apply(plan)
    assert done.journal
    after = desk.contents()
    desk.writers = [Writer("session registry names live pid 4711", 4711)]
    with pytest.raises(LiveWriter, match="live pid 4711"):
        desk.undo(done.journal)
    assert desk.contents() == after
    desk.writers = []
    desk.undo(done.journal)
    desk.writers = [Writer("session registry names live pid 4711", 4711)]
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("skipped", 6)
    assert "live pid 4711" in reason


def test_a_file_that_grows_after_the_first_look_is_left_alone(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    data = dumped(plan)
    looks = count()

    def writers(unit: UnitPlan) -> list[Writer]:
        if next(looks) == 1:  # between the first look and the work
            with Path(unit.paths[0]).open("ab") as file:
                file.write(b":3}\n")
        return []

    checks = replace(desk.checks, writers=writers)
    done = applier.apply(
        plan_json.load(data), data, journal=desk.journal, all_or_none=False, checks=checks
    )
    assert only(done.outcomes)[:2] == ("skipped", 4)
    assert desk.contents()["a.jsonl"][0] == b'{"a":1}\n{"b":3}\n'


def test_undo_refuses_when_the_file_moved_on(desk: Desk) -> None:
    done = desk.apply(plan_of(one_file(desk, "a.jsonl"), one_file(desk, "b.jsonl")))
    with (desk.store / "a.jsonl").open("ab") as file:
        file.write(b"more\n")
    after = desk.contents()
    with pytest.raises(StaleStore, match=r"a\.jsonl moved on .*; 1 other units are undone"):
        desk.undo(str(done.journal))
    assert desk.contents()["a.jsonl"] == after["a.jsonl"]
    assert desk.contents()["b.jsonl"][0] == b'{"a":1}\n{"b"'
    with (desk.store / "a.jsonl").open("ab") as file:
        file.truncate(file.tell() - 5)
    desk.undo(str(done.journal))
    assert desk.contents()["a.jsonl"][0] == b'{"a":1}\n{"b"'


def edited(plan: Plan, change: Callable[[Any], object]) -> bytes:
    document = json.loads(dumped(plan))
    change(document["units"][0])
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda u: u["sources"].clear(),
        lambda u: u["sources"].append(u["sources"][0]),
        lambda u: u["sources"][0].update(after_size=1),
        lambda u: u["sources"][0].update(after_path="elsewhere"),
        lambda u: u["sources"][0].update(size=99),
        lambda u: u["steps"].append(u["steps"][0]),
        lambda u: u["steps"][0]["edits"][0].update(offset=9),
        lambda u: u["steps"][0]["edits"][0].update(path="/etc/passwd"),
        lambda u: u["steps"][0]["edits"][0].update(after=[{"text": "longer than it was"}]),
        lambda u: u["steps"][0].update(edits=[]),
        lambda u: u["steps"][0]["edits"].append(
            {
                "kind": "file",
                "path": u["sources"][0]["path"],
                "before_sha256": u["sources"][0]["sha256"],
                "before": None,
                "after": None,
            }
        ),
    ],
)
def test_a_plan_that_disagrees_with_itself_is_refused(
    desk: Desk, change: Callable[[Any], object]
) -> None:
    data = edited(plan_of(one_file(desk)), change)
    before = desk.contents()
    with pytest.raises(BadPlan, match="plan"):
        desk.apply_bytes(data)
    assert desk.contents() == before
    assert journal.entries(desk.journal) == []


def test_other_bytes_of_the_same_length_are_found_before_anything_is_renamed(desk: Desk) -> None:
    def change(unit: Any) -> None:
        unit["steps"][0]["edits"][0]["after"] = [{"text": '{"X":1}\n'}]

    data = edited(plan_of(one_file(desk)), change)
    before = desk.contents()
    status, code, reason = only(desk.apply_bytes(data).outcomes)
    assert (status, code) == ("skipped", 2)
    assert "do not make the file that the plan promises" in reason
    assert desk.contents() == before


def test_a_wrong_digest_of_what_goes_is_found(desk: Desk) -> None:
    def change(unit: Any) -> None:
        unit["steps"][0]["edits"][0]["before_sha256"] = digest(b"?")

    data = edited(plan_of(one_file(desk)), change)
    assert only(desk.apply_bytes(data).outcomes)[:2] == ("skipped", 4)


def test_two_applies_do_not_run_at_once(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    journal.make_root(desk.journal)
    with (
        filelock.FileLock(desk.journal / "lock"),
        pytest.raises(LiveWriter, match="another suture"),
    ):
        desk.apply(plan)
    assert desk.apply(plan).exit_code == 0
