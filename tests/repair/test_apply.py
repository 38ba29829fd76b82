"""Applying changes exactly what the plan says, or nothing."""

import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import filelock
import pytest
from desk import MTIME_NS, Desk, at, digest, dumped, plan_of, source, unit

from suture.model.edit import FileEdit, SpanEdit
from suture.model.errors import ApplyFailed, BadPlan, LiveWriter, NothingToRead, StaleStore
from suture.model.files import Writer
from suture.model.plan import Plan, UnitPlan
from suture.repair import applier, disk, journal, plan_json


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def one_file(desk: Desk, name: str = "a.jsonl") -> UnitPlan:
    path = desk.write(name, b'{"a":1}\n{"b"')
    edit = SpanEdit(str(path), 8, 4, (b'{"c":1}\n',))
    return unit([source(path, b'{"a":1}\n{"b"', b'{"a":1}\n{"c":1}\n')], edit)


def only(outcomes: tuple[applier.Outcome, ...]) -> tuple[str, int, str]:
    (outcome,) = outcomes
    return outcome.status, outcome.exit_code, outcome.reason or ""


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
    assert journal.extract(desk.journal, str(done.journal), 1) == b'{"b":'
    desk.undo(str(done.journal))
    assert desk.contents() == before


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
        assert "unplanned findings" in reason
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


def test_a_link_stays_a_link(desk: Desk) -> None:
    one_file(desk, "real/a.jsonl")
    link = desk.store / "a.jsonl"
    link.symlink_to(desk.store / "real" / "a.jsonl")
    edit = SpanEdit(str(link), 8, 4, (b'{"c":1}\n',))
    plan = plan_of(unit([source(link, b'{"a":1}\n{"b"', b'{"a":1}\n{"c":1}\n')], edit))
    done = desk.apply(plan)
    assert done.exit_code == 0
    assert link.is_symlink()
    assert (desk.store / "real" / "a.jsonl").read_bytes() == b'{"a":1}\n{"c":1}\n'
    desk.undo(str(done.journal))
    assert link.is_symlink()
    assert link.read_bytes() == b'{"a":1}\n{"b"'


def test_a_file_with_two_names_is_refused(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    (desk.store / "other").hardlink_to(desk.store / "a.jsonl")
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("skipped", 5)
    assert "has 2 hard links" in reason


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


NEEDS_DISK = ("create", "write", "sync", "dress", "rename", "make_folder", "sync_folder")


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("kind", ["files", "compressed"])
def test_a_full_disk_at_any_write_loses_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, once: bool, kind: str
) -> None:
    plan = desk.two_files() if kind == "files" else desk.compressed()
    data, before = dumped(plan), desk.contents()
    plain = {name: getattr(disk, name) for name in NEEDS_DISK}
    k = 0
    for k in count():
        calls = count()

        def full(name: str, k: int = k, calls: "count[int]" = calls) -> Callable[..., object]:
            def call(*args: object) -> object:
                n = next(calls)
                if n == k or (n > k and not once):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")
                return plain[name](*args)

            return call

        for name in NEEDS_DISK:
            monkeypatch.setattr(disk, name, full(name))
        failed: str | None = None
        try:
            done = desk.apply_bytes(data)
        except ApplyFailed as error:
            failed, done = str(error), None
        for name in NEEDS_DISK:
            monkeypatch.setattr(disk, name, plain[name])
        if next(calls) <= k:
            break
        if done and done.outcomes[0].status == "applied":
            # only the closing failed
            desk.undo(str(done.journal))
        elif done:
            assert "No space left" in str(done.outcomes[0].reason)
            assert done.exit_code == 5
            assert not once or done.outcomes[0].status == "rolled_back"
            for entry in journal.unfinished(desk.journal):
                assert not once or entry.open
                if k % 2:
                    resumed = desk.resume(entry.id).outcomes[0].status
                    assert resumed in ({"rolled_back"} if once else {"applied", "rolled_back"})
                desk.undo(entry.id)
        else:
            assert "No space left" in str(failed)
        assert desk.contents() == before, k
        assert not list(desk.store.rglob(".*")), k
    assert k > 30


def test_too_little_room_is_said_before_anything_is_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.write("a.jsonl", b"x" * 300_000)
    plan = plan_of(unit([source(path, b"x" * 300_000, b"")], SpanEdit(str(path), 0, 300_000, ())))
    usage = type("usage", (), {"free": 200_000})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("rolled_back", 5)
    assert "300,000 bytes are needed" in reason
    assert not list(desk.journal.glob("*/before/*"))


def test_two_applies_do_not_run_at_once(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    journal.make_root(desk.journal)
    with (
        filelock.FileLock(desk.journal / "lock"),
        pytest.raises(LiveWriter, match="another suture"),
    ):
        desk.apply(plan)
    assert desk.apply(plan).exit_code == 0


def test_the_journal_keeps_what_each_step_took_out(desk: Desk) -> None:
    done = desk.apply(desk.two_files())
    id = str(done.journal)
    taken = [journal.extract(desk.journal, id, step) for step in range(1, 6)]
    assert taken == [b'{"c":', b"", b"", b"\xff bytes", b"old index\n"]
    with pytest.raises(NothingToRead, match="no step 6"):
        journal.extract(desk.journal, id, 6)
    with pytest.raises(NothingToRead, match="no journal"):
        journal.extract(desk.journal, "../" + id, 1)
    modes = {path.stat().st_mode & 0o077 for path in desk.journal.rglob("*")}
    assert modes == {0}
    assert desk.journal.stat().st_mode & 0o777 == 0o700


def test_prune_removes_old_journals_and_no_unfinished_one(desk: Desk) -> None:
    first = str(desk.apply(plan_of(one_file(desk, "a.jsonl"))).journal)
    second = str(desk.apply(plan_of(one_file(desk, "b.jsonl"))).journal)
    book = journal.open_book(desk.journal, second)
    state = book.state(0)
    assert state
    book.write(replace(state, status="committing"))
    assert [entry.id for entry in journal.unfinished(desk.journal)] == [second]
    assert journal.prune(desk.journal, timedelta(days=1)) == []
    unbegun = desk.journal / "20260101T000000Z-abcd"  # killed before its journal began
    unbegun.mkdir()
    later = datetime.now(UTC) + timedelta(days=2)
    assert journal.prune(desk.journal, timedelta(days=1), later) == [first]
    assert [entry.id for entry in journal.entries(desk.journal)] == [second]
    assert journal.last(desk.journal) == second
    assert not unbegun.exists()


def test_a_damaged_journal_gives_back_nothing_wrong(desk: Desk) -> None:
    done = desk.apply(plan_of(one_file(desk)))
    after = desk.contents()
    (saved,) = desk.journal.glob("*/before/*")
    saved.write_bytes(b"XXXX")
    with pytest.raises(ApplyFailed, match="no longer gives back"):
        desk.undo(str(done.journal))
    assert desk.contents() == after
    saved.write_bytes(b'{"b"')
    desk.undo(str(done.journal))
    assert desk.contents()["a.jsonl"][0] == b'{"a":1}\n{"b"'


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


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are Unicode there")
def test_a_name_that_is_not_utf8_is_no_trouble(desk: Desk) -> None:
    plan = plan_of(one_file(desk, os.fsdecode(b"caf\xe9 " + b"n" * 200 + b".jsonl")))
    before = desk.contents()
    done = desk.apply(plan)
    assert done.exit_code == 0
    desk.undo(str(done.journal))
    assert desk.contents() == before


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(desk: Desk) -> None:
    path = desk.write("side.txt", b"")
    main = one_file(desk)
    plan = plan_of(replace(main, sources=(*main.sources, source(path, b"", b""))))
    data = dumped(plan)
    path.unlink()
    os.mkfifo(path)
    status, code, reason = only(desk.apply_bytes(data).outcomes)
    assert (status, code) == ("skipped", 4)
    assert "no longer a file" in reason


def test_a_journal_that_cannot_be_made_is_said_and_nothing_is_changed(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    before = desk.contents()
    desk.journal = desk.store / "a.jsonl" / "journal"
    with pytest.raises(ApplyFailed, match="cannot be made: Not a directory"):
        desk.apply(plan)
    assert desk.contents() == before


def test_an_apply_that_runs_now_is_not_called_cut_off(desk: Desk) -> None:
    seen: list[list[journal.Entry]] = []

    def found(unit: UnitPlan) -> list[str]:
        seen.append(journal.unfinished(desk.journal))
        return list(unit.remaining)

    desk.found = found
    desk.apply(plan_of(one_file(desk)))
    assert seen == [[]]


def test_the_newest_of_several_applies_in_one_second_is_found(desk: Desk) -> None:
    names = [f"{number}.jsonl" for number in range(8)]
    ids = [str(desk.apply(plan_of(one_file(desk, name))).journal) for name in names]
    assert [entry.id for entry in journal.entries(desk.journal)] == ids
    assert journal.last(desk.journal) == ids[-1]
