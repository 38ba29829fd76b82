"""What a repair of OpenCode brings back, where it puts it, and when it does not begin."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from opencode_samples import (
    LATER,
    NOW,
    PART,
    SAYS_LATER,
    damaged,
    dump,
    found,
)

from suture import api
from suture.model.operation import Policy
from suture.model.scope import Scope, Wanted


def restored(sql: str) -> Callable[[Path], None]:
    def check(folder: Path) -> None:
        healthy = damaged(folder, "")
        wanted = dump(healthy)
        path = damaged(folder, sql)
        scope = Scope((str(path),), assume="dead", now=NOW)
        api.plan(scope, Wanted(Policy.ANSWER), folder / "plan.json")
        assert api.apply(folder / "plan.json", folder / "journal").exit_code == 0
        times = {"time_created", "time_updated"}
        assert [without(line, times) for line in sorted(dump(path))] == [
            without(line, times) for line in sorted(wanted)
        ]

    return check


def without(line: str, _: set[str]) -> str:
    """The row without its two times, which an event does not hold."""
    if not line.startswith(('INSERT INTO "part"', 'INSERT INTO "message"')):
        return line
    head, brace, body = line.partition("'{")
    return ",".join(head.split(",")[:-3]) + brace + in_order(body)


def in_order(body: str) -> str:
    text = body.removesuffix("');").replace("''", "'")
    return json.dumps(json.loads("{" + text), sort_keys=True)


@pytest.mark.parametrize(
    "sql",
    [
        f"DELETE FROM part WHERE {PART}",
        "DELETE FROM part; DELETE FROM message; DELETE FROM session",
        f"UPDATE part SET data = 'x' WHERE {PART}",
        "UPDATE session SET permission = '['",
    ],
)
def test_what_the_log_holds_comes_back_whole(sql: str, tmp_path: Path) -> None:
    restored(sql)(tmp_path)


def test_a_running_call_is_told_with_its_output(tmp_path: Path) -> None:
    path = damaged(
        tmp_path,
        "UPDATE part SET data = json_set(data, '$.state.metadata.output', 'step 1 of 9') "
        "WHERE data LIKE '%running%'; UPDATE event "
        "SET data = json_set(data, '$.part.state.metadata.output', 'step 1 of 9') "
        "WHERE data LIKE '%# deploy%'",
        "killed-in-tool",
    )
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 0
    with closing(sqlite3.connect(path)) as database:
        (data,) = database.execute("SELECT data FROM part WHERE data LIKE '%# deploy%'").fetchone()
        rows = database.execute("SELECT data FROM event ORDER BY seq").fetchall()
    state = json.loads(data)["state"]
    assert state["status"] == "error"
    assert "result is unknown" in state["error"]
    assert state["error"].endswith("step 1 of 9")
    assert state["metadata"] == {"interrupted": True, "partial_output": "step 1 of 9"}
    assert "output" not in state["metadata"], "the client would send it as a success"
    assert any(json.loads(row[0]).get("part", {}).get("state") == state for row in rows)


def test_a_row_that_changed_since_the_plan_stops_the_repair(tmp_path: Path) -> None:
    path = damaged(tmp_path, "", "killed-in-tool")
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE event_sequence SET seq = seq + 1")
    before = dump(path)
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 4
    assert dump(path) == before


def test_a_log_without_numbers_gives_no_counter(tmp_path: Path) -> None:
    path = damaged(tmp_path, "UPDATE event SET aggregate_id = 'ses_two', seq = 'x' WHERE seq = 0")
    scope = Scope((str(path),), assume="dead", now=NOW)
    made = api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    (unit,) = (unit for unit in made.units if unit.session == "ses_two")
    assert {skip.reason for skip in unit.skipped} >= {"no event of the log has a number"}


IN_ORDER = "SELECT id FROM message ORDER BY time_created, id"
SAID_IN_ORDER = "SELECT id FROM message ORDER BY json_extract(data, '$.time.created'), id"


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("change", [f"{LATER}, {SAYS_LATER}", LATER, SAYS_LATER])
@pytest.mark.parametrize("log", ["", "; DELETE FROM event; DELETE FROM event_sequence"])
def test_a_message_from_the_future_keeps_its_place(
    place: int, change: str, log: str, tmp_path: Path
) -> None:
    path = damaged(tmp_path, "")
    with closing(sqlite3.connect(path)) as database:
        order = database.execute(IN_ORDER).fetchall()
    if place == 0 and log and "," in change:
        pytest.skip("nothing tells the time of the first message")
    path = damaged(tmp_path, f"UPDATE message SET {change} WHERE id = '{order[place][0]}'{log}")
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 0
    with closing(sqlite3.connect(path)) as database:
        assert database.execute(IN_ORDER).fetchall() == order
        assert database.execute(SAID_IN_ORDER).fetchall() == order
    assert found(path, tmp_path / "journal") == set()
