"""A message that got into another session goes home, and nothing of the other one is changed."""

import sqlite3
from contextlib import closing
from pathlib import Path

from suture import api
from suture.model.scope import Scope, Wanted

CASES = Path(__file__).parents[2] / "cases"
CASE = CASES / "event-projection-differs/near-miss-key-in-the-row-only/before/opencode.db.sql"
FIRST, SECOND = "ses_35239657ffffCider0Press001", "ses_35239657ffffCider0Press002"
REPLY = "msg_cadc6d130006Orchard0000006"
TABLES = ("session", "message", "part", "event_sequence", "event")


def twice(path: Path) -> None:
    """The session of the case, and the same under other ids."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(CASE.read_text("utf-8"))
        for table in TABLES:
            for row in database.execute(f"select * from {table}").fetchall():
                other = [_other(value) for value in row]
                database.execute(f"insert into {table} values ({','.join('?' * len(row))})", other)


def _other(value: object) -> object:
    if not isinstance(value, str):
        return value
    return value.replace("Orchard", "Orchars").replace(FIRST, SECOND).replace("call_", "toolu_")


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def test_a_message_in_another_session_goes_home(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    twice(path)
    whole = dump(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("update message set session_id = ? where id = ?", (SECOND, REPLY))
    scope = Scope((str(path),), assume="dead")
    plan = api.plan(scope, Wanted(), tmp_path / "plan.json")
    assert [unit.session for unit in plan.units if unit.steps] == [FIRST]
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert applied.exit_code == 0, applied.outcomes
    assert api.check(scope, tmp_path / "journal").findings == ()
    assert dump(path) == whole
