"""The journal keeps what left the store, says what is unfinished, and is pruned."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from desk import Desk, at, one_file, plan_of
from msgspec.structs import replace

from suture.model.errors import ApplyFailed, NothingToRead
from suture.model.plan import UnitPlan
from suture.repair import applier, journal
from suture.repair.book import open_book
from suture.repair.extract import extract


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def test_the_journal_keeps_what_each_step_took_out(desk: Desk) -> None:
    done = desk.apply(desk.two_files())
    id = str(done.journal)
    taken = [extract(desk.journal, id, step) for step in range(1, 6)]
    assert taken == [b'{"c":', b"", b"", b"\xff bytes", b"old index\n"]
    with pytest.raises(NothingToRead, match="no step 6"):
        extract(desk.journal, id, 6)
    with pytest.raises(NothingToRead, match="no journal"):
        extract(desk.journal, "../" + id, 1)
    modes = {path.stat().st_mode & 0o077 for path in desk.journal.rglob("*")}
    assert modes == {0}
    assert desk.journal.stat().st_mode & 0o777 == 0o700


def test_prune_removes_old_journals_and_no_unfinished_one(desk: Desk) -> None:
    first = str(desk.apply(plan_of(one_file(desk, "a.jsonl"))).journal)
    second = str(desk.apply(plan_of(one_file(desk, "b.jsonl"))).journal)
    book = open_book(desk.journal, second)
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
