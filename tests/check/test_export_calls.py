"""What the tables `tool_calls` and `turns` say of calls and results that one row holds together."""

import json
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from commandline import SAMPLES, suture

from suture import api
from suture.model.scope import Scope

STORE = SAMPLES / "opencode"


def asked(query: str) -> list[Any]:
    return [*api.ask(Scope((str(STORE),), assume="dead"), query)[1]]


def exported(store: Path, table: str, folder: Path) -> Sequence[dict[str, Any]]:
    assert suture("export", store, folder, "--to", "parquet").code == 0
    rows: list[dict[str, Any]] = pq.read_table(folder / table).to_pylist()
    return rows


def test_a_call_of_opencode_has_its_arguments_and_its_own_times(tmp_path: Path) -> None:
    stored = asked("select call_id, data from part where type = 'call'")
    bodies = {call: json.loads(data)["state"] for call, data in stored}
    rows = exported(STORE, "tool_calls", tmp_path / "out")
    assert {row["call_id"] for row in rows} == set(bodies)
    for row in rows:
        state = bodies[row["call_id"]]
        assert json.loads(row["args_json"]) == state["input"]
        if row["result_seq"] is None:
            assert (row["latency_ms"], row["latency_source"], row["ended_at"]) == (None, None, None)
            continue
        took = state["time"]["end"] - state["time"]["start"]
        assert (row["latency_ms"], row["latency_source"]) == (took, "recorded")
        assert row["ended_at"] - row["started_at"] == timedelta(milliseconds=took)
        text = state["output" if state["status"] == "completed" else "error"]
        assert row["result_sha256"] == sha256(text.encode()).hexdigest()


def test_a_turn_holds_the_parts_of_its_last_message(tmp_path: Path) -> None:
    """And none of the event log, which comes after them."""
    query = "select s.id, min(n) from record join session s using (session) where lane = 'log'"
    logs = dict(asked(f"{query} group by s.id"))
    for turn in exported(STORE, "turns", tmp_path / "out"):
        assert turn["final_seq"] is None or turn["final_seq"] <= turn["last_seq"]
        assert turn["last_seq"] < logs[turn["session_id"].removeprefix("opencode:")]


def test_a_turn_that_a_call_leaves_open_is_not_complete(tmp_path: Path) -> None:
    """What Claude Code said before the call was not the end."""
    rows = exported(SAMPLES / "claude-code" / "killed-in-tool", "turns", tmp_path / "out")
    assert [row["status"] for row in rows] == ["open"]
