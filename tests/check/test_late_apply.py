"""Time goes by between a plan and its apply: what the clock alone says takes no repair back."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from suture import api
from suture.model.scope import Scope, Wanted

SCRIPT = (
    Path(__file__).parents[1]
    / "cases/clock-fault/near-miss-half-a-minute-ahead/before/opencode.db.sql"
)
NOW = 1_800_000_000_000_000  # half a minute before the newest message


def test_a_rule_of_the_clock_says_something_else_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCRIPT.read_text("utf-8"))
        database.execute("delete from message where id = 'msg_cadc6b5d8002Orchard0000002'")
        database.commit()
    scope = Scope((str(path),), assume="dead", now=NOW)
    plan = api.plan(scope, Wanted(), tmp_path / "plan.json")
    assert [step.title for unit in plan.units for step in unit.steps]
    monkeypatch.setattr(time, "time_ns", lambda: (NOW - 3_600_000_000) * 1000)
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert [outcome.status for outcome in applied.outcomes] == ["applied"]
    told = api.check(Scope((str(path),), assume="dead"), tmp_path / "journal").findings
    assert {item.finding.rule for item in told} == {"clock-fault"}
