"""Rows of a Codex home that follow a rollout: in the same plan, after it, and back again."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from test_kill import survives

from suture import api
from suture.model.edit import RowEdit, SpanEdit
from suture.model.plan import Plan
from suture.model.scope import Scope, Wanted
from suture.repair import applier
from suture.repair import undo as undoing
from suture.repair.journal import unfinished
from suture.repair.settle import Checks

CASES = Path(__file__).parent.parent / "cases"
MOVED, NAMED = "projection-stuck/bytes-move-in-this-plan", "index-missing-row/row-and-name"
DATABASE = "thread_history_1.sqlite"


def home(folder: Path, case: str, name: str = ".codex") -> Path:
    """The store of a case, its databases as a kill leaves them: all rows in the `-wal`."""
    made = folder / name
    shutil.copytree(CASES / case / "before", made)
    for script in list(made.glob("*.sql")):
        path = script.with_suffix("")
        code = (
            "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
            "c.execute('pragma journal_mode=wal'); c.executescript(sys.stdin.read()); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", code, path], input=script.read_bytes(), check=True)
        assert Path(f"{path}-wal").stat().st_size
        script.unlink()
    return made


def rollout(store: Path) -> Path:
    return min(store.rglob("rollout-*.jsonl"))


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def planned(folder: Path, *paths: Path, take: tuple[int, ...] = ()) -> Plan:
    scope = Scope(tuple(map(str, paths)), assume="dead")
    return api.plan(scope, Wanted(take=take), folder / "plan.json")


def touched(plan: Plan) -> list[str]:
    """Names of the changed files in the order in which they are changed."""
    (unit,) = plan.units
    edited = {edit.path for step in unit.steps for edit in step.edits}
    return [Path(s.path).name for s in unit.sources if s.path in edited]


def test_the_rollout_is_changed_first_and_its_rows_after_it(tmp_path: Path) -> None:
    store = home(tmp_path, MOVED)
    plan = planned(tmp_path, store)
    assert touched(plan) == [rollout(store).name, DATABASE]
    edits = [edit for step in plan.units[0].steps for edit in step.edits]
    tables = [edit.table for edit in edits if isinstance(edit, RowEdit)]
    assert tables[-1] == "thread_history_projection_state", "its trigger deletes other rows"
    assert b"List the shelf" not in (tmp_path / "plan.json").read_bytes(), "no content in a plan"


def test_a_single_rollout_is_repaired_with_the_home_that_it_stands_in(tmp_path: Path) -> None:
    store = home(tmp_path, MOVED)
    assert touched(planned(tmp_path, rollout(store))) == [rollout(store).name, DATABASE]


def test_database_and_log_are_kept_together_and_undo_gives_every_row_back(tmp_path: Path) -> None:
    store, journal = home(tmp_path, MOVED), tmp_path / "journal"
    before = rollout(store).read_bytes()
    parts = {side: (store / f"{DATABASE}{side}").read_bytes() for side in ("", "-wal")}
    planned(tmp_path, store)
    applied = api.apply(tmp_path / "plan.json", journal)
    assert applied.exit_code == 0
    (kept,) = journal.glob(f"*/before/*-{DATABASE}")
    assert {side: Path(f"{kept}{side}").read_bytes() for side in parts} == parts
    rows = dump(kept)
    assert dump(store / DATABASE) != rows
    api.undo(applied.journal, journal)
    assert rollout(store).read_bytes() == before
    assert dump(store / DATABASE) == rows


def test_a_row_that_changed_since_the_plan_leaves_rollout_and_rows_as_they_are(
    tmp_path: Path,
) -> None:
    store = home(tmp_path, MOVED)
    before = rollout(store).read_bytes()
    planned(tmp_path, store)
    with closing(sqlite3.connect(store / DATABASE)) as connection, connection:
        connection.execute("update thread_turns set status = 'failed' where turn_id = 'turn-1'")
    rows = dump(store / DATABASE)
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert applied.exit_code == 4
    assert rollout(store).read_bytes() == before
    assert dump(store / DATABASE) == rows


@contextmanager
def opened(path: Path) -> Iterator[None]:
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
        "c.execute('select count(*) from sqlite_master').fetchone();"
        "print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield


def test_nothing_is_changed_while_a_client_has_the_database_open(tmp_path: Path) -> None:
    store = home(tmp_path, MOVED)
    before = rollout(store).read_bytes()
    planned(tmp_path, store)
    with opened(store / DATABASE):
        applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert applied.exit_code == 6
    assert rollout(store).read_bytes() == before


def test_two_threads_of_one_index_are_written_and_taken_back(tmp_path: Path) -> None:
    store, journal = home(tmp_path, NAMED), tmp_path / "journal"
    with closing(sqlite3.connect(store / "state_5.sqlite")) as connection, connection:
        connection.execute("update threads set history_mode = 'legacy'")
    rows = dump(store / "state_5.sqlite")
    plan = planned(tmp_path, store)
    assert sum(bool(unit.steps) for unit in plan.units) == 2
    applied = api.apply(tmp_path / "plan.json", journal)
    assert applied.exit_code == 0
    assert len(list(journal.glob("*/before/*-state_5.sqlite"))) == 1, "one copy serves both"
    api.undo(applied.journal, journal)
    assert dump(store / "state_5.sqlite") == rows


def test_a_new_row_names_the_file_as_the_other_rows_do(tmp_path: Path) -> None:
    store = home(tmp_path, NAMED)
    row = _inserted(planned(tmp_path, store))
    assert str(row["rollout_path"]).startswith("/home/dev/.codex/sessions/2026/03/02/rollout-")
    with closing(sqlite3.connect(store / "state_5.sqlite")) as connection, connection:
        connection.execute("delete from threads")
    plan = planned(tmp_path, max(store.rglob("rollout-*.jsonl")))
    assert str(_inserted(plan)["rollout_path"]).startswith(f"{store}/sessions/2026/03/02/rollout-")


def _inserted(plan: Plan) -> dict[str, object]:
    edits = [edit for unit in plan.units for step in unit.steps for edit in step.edits]
    (row,) = (e.after for e in edits if isinstance(e, RowEdit) and e.before is None)
    assert row is not None
    return dict(row)


def test_bytes_of_a_copy_from_elsewhere_move_only_when_a_person_says_so(tmp_path: Path) -> None:
    copy = tmp_path / rollout(CASES / MOVED / "before").name
    shutil.copy(rollout(CASES / MOVED / "before"), copy)
    (unit,) = planned(tmp_path, copy).units
    (skip,) = unit.skipped
    assert not unit.steps
    assert skip.number == 1
    assert "moves bytes" in skip.reason
    (unit,) = planned(tmp_path, copy, take=(1,)).units
    assert [type(edit) for step in unit.steps for edit in step.edits] == [SpanEdit]
    assert not unit.skipped


@pytest.mark.parametrize("text", ["", '{"id":', '{"id":"019c6000-0000-7000-8000-000000000002"}\n'])
def test_a_name_that_cannot_be_read_is_no_name(tmp_path: Path, text: str) -> None:
    store = home(tmp_path, NAMED)
    (store / "session_index.jsonl").write_text(text)
    assert "name" not in _inserted(planned(tmp_path, store))


def test_the_last_name_that_can_be_read_counts(tmp_path: Path) -> None:
    store = home(tmp_path, NAMED)
    index = store / "session_index.jsonl"
    index.write_bytes(index.read_bytes() + b'{"id":"019c6000-0000-7000-8000-000000000002","thr')
    assert _inserted(planned(tmp_path, store))["name"] == "the shelf"


def test_a_column_that_no_rollout_tells_stops_a_new_row(tmp_path: Path) -> None:
    store = home(tmp_path, NAMED)
    with closing(sqlite3.connect(store / "state_5.sqlite")) as connection, connection:
        script = "".join(connection.iterdump())
        (store / "state_5.sqlite").rename(tmp_path / "old")
    fresh = script.replace("is_pinned INTEGER NOT NULL DEFAULT 0", "secret INTEGER NOT NULL")
    with closing(sqlite3.connect(store / "state_5.sqlite")) as connection:
        connection.executescript(fresh)
    reasons = [skip.reason for unit in planned(tmp_path, store).units for skip in unit.skipped]
    assert "no rollout tells what stands in the column secret" in reasons


def test_the_plan_says_which_rows_go(tmp_path: Path) -> None:
    planned(tmp_path, home(tmp_path, MOVED))
    plan = json.loads((tmp_path / "plan.json").read_bytes())
    rows = [e for s in plan["units"][0]["steps"] for e in s["edits"] if e["kind"] == "row"]
    assert [row["key"]["thread_id"] for row in rows] == ["019c5000-0000-7000-8000-000000000001"] * 6
    assert all(row["after"] is None for row in rows)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_kill_anywhere_never_leaves_new_rows_beside_an_old_rollout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applier, "PAUSE", 0)
    store, journal = home(tmp_path, MOVED), tmp_path / "journal"
    pristine = shutil.copytree(store, tmp_path / "pristine")
    plan = planned(tmp_path, store)
    data = (tmp_path / "plan.json").read_bytes()
    checks = Checks(lambda _: [], lambda unit: unit.remaining, lambda unit, _: unit.remaining)

    def apply() -> applier.Applied:
        return applier.apply(plan, data, journal=journal, all_or_none=False, checks=checks)

    def state() -> tuple[bytes, list[str]]:
        shutil.copytree(store, tmp_path / "look", dirs_exist_ok=True)  # looking moves the log
        return rollout(store).read_bytes(), dump(tmp_path / "look" / DATABASE)

    def reset() -> None:
        for folder in (store, journal, tmp_path / "look"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pristine, store)

    old = state()
    apply()
    shutil.rmtree(tmp_path / "look")
    new = state()
    assert old[0] != new[0]
    assert old[1] != new[1]
    k = 0
    for k in count():
        reset()
        if survives(apply, k):
            break
        assert state() in (old, (new[0], old[1]), new), k
        for entry in unfinished(journal):
            if k % 2:
                applier.resume(entry.id, journal=journal, checks=checks)
            else:
                undoing.undo(entry.id, journal=journal, writers=lambda _: [])
            shutil.rmtree(tmp_path / "look")
            assert state() == (new if k % 2 else old), k
    assert k > 20, "many points were tried"


def test_a_new_session_leaves_the_rows_of_the_old_one(tmp_path: Path) -> None:
    store = home(tmp_path, MOVED)
    rows = dump(store / DATABASE)
    scope = Scope((str(store),), assume="dead")
    plan = api.plan(scope, Wanted(fork=True), tmp_path / "plan.json")
    assert plan.refused == ()
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 0
    assert dump(store / DATABASE) == rows
    assert len(list(store.rglob("rollout-*.jsonl"))) == 2
