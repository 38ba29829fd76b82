"""`--since` and `--where`: of a store only the sessions that are meant."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import sql_stores
from commandline import SAMPLES, Done, sample, suture

KEYS = {
    "opencode": ("session", "id"),
    "openai-agents": ("agent_sessions", "session_id"),
    "google-adk": ("sessions", "id"),
    "laxcode": ("session", "session_id"),
    "seqstore": ("sessions", "id"),
}
MAPPING = ("--map", SAMPLES / "seqstore" / "seqstore.toml")
Ask = Callable[..., Done]


@pytest.fixture(params=KEYS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def database(kind: str, tmp_path: Path) -> Path:
    """Seven sessions, each a second later than the one before it."""
    path = tmp_path / f"{kind}.db"
    sql_stores.make(kind, path, 280, 40)
    return path


@pytest.fixture
def ask(kind: str, database: Path) -> Ask:
    def asked(command: str, *words: str | Path) -> Done:
        more = MAPPING if kind == "seqstore" else ()
        return suture(command, database, *more, *words)

    return asked


def names(done: Done) -> list[str]:
    assert done.code == 0, done.err
    return [session["id"] for session in done.json]


def test_where_asks_the_rows_of_sessions(kind: str, ask: Ask, database: Path) -> None:
    _, key = KEYS[kind]
    every = names(ask("inspect", "--format", "json"))
    before = sha256(database.read_bytes()).hexdigest()
    wanted = every[1:3]
    condition = f"{key} in ('{wanted[0]}', '{wanted[1]}') -- and nothing else"
    assert names(ask("inspect", "--format", "json", "--where", condition)) == wanted
    checked = ask("check", "--format", "json", "--where", condition)
    assert [session["id"] for session in checked.json["sessions"]] == wanted
    both = ask("check", "--format", "json", "--where", condition, "--session", wanted[1])
    assert [session["id"] for session in both.json["sessions"]] == wanted[1:]
    assert sha256(database.read_bytes()).hexdigest() == before


def test_since_takes_what_was_written_then_or_later(ask: Ask) -> None:
    sessions = ask("inspect", "--format", "json").json
    every = [session["id"] for session in sessions]
    latest = ask("sql", "--format", "json", NEWEST).json
    newest = {row["id"]: row["newest"] for row in latest}
    cut = sorted(newest.values())[len(every) // 2]
    found = names(ask("inspect", "--format", "json", "--since", cut.replace(" ", "T")))
    assert found == [name for name in every if newest[name] >= cut]
    assert 0 < len(found) < len(every)


NEWEST = """
select s.id, strftime(make_timestamp(max(r.time)), '%Y-%m-%d %H:%M:%S.%f') as newest
from session s join record r using (session) where r.time is not null group by s.id
"""


def test_nothing_else_is_loaded_planned_or_exported(
    kind: str, ask: Ask, database: Path, tmp_path: Path
) -> None:
    _, key = KEYS[kind]
    every = names(ask("inspect", "--format", "json"))
    with closing(sqlite3.connect(database)) as store:
        store.execute("pragma foreign_keys = off")
        last = f"(select max(rowid) from {_messages(kind)})"
        store.execute(f"delete from {_messages(kind)} where rowid = {last}")
        store.commit()
    condition = f"{key} = '{every[0]}'"
    assert ask("plan", "-o", tmp_path / "plan.json", "--where", condition).code == 0
    out = tmp_path / "out"
    assert ask("export", out, "--to", "parquet", "--where", condition).code == 0
    asked = ask("sql", "--format", "json", "--where", condition, "select id from session")
    assert names(asked) == [every[0]]
    assert ask("load", "--db", tmp_path / "t.duckdb", "--where", condition).code == 0


def _messages(kind: str) -> str:
    return {
        "opencode": "part",
        "openai-agents": "agent_messages",
        "google-adk": "events",
        "laxcode": "raw_message",
        "seqstore": "messages",
    }[kind]


@pytest.mark.parametrize(
    "condition", ["no_such_column = 1", "1) union select 1 --(", "1; delete from x", "("]
)
def test_a_condition_that_means_nothing_is_a_mistake_of_usage(ask: Ask, condition: str) -> None:
    done = ask("check", "--where", condition)
    assert done.code == 2
    assert "--where" in done.err


def test_a_condition_that_holds_for_nothing_is_told(ask: Ask) -> None:
    done = ask("check", "--where", "1 = 0")
    assert (done.code, done.err) == (3, "--where holds for no session")
    assert ask("check", "--where", "1 = 0", "--allow-empty").code == 0


def test_a_condition_cannot_change_what_is_judged(kind: str, ask: Ask) -> None:
    """It is one expression of a query, and the connection takes no other statement."""
    table, _ = KEYS[kind]
    done = ask("check", "--where", f"1); delete from {table}; --")
    assert done.code == 2
    assert ask("check").code == 0


@pytest.mark.parametrize("name", ["claude-code/healthy", "eventlog/healthy", "langgraph/healthy"])
def test_stores_without_a_table_of_sessions_have_no_where(name: str, tmp_path: Path) -> None:
    done = suture("check", sample(name, tmp_path / "store"), "--where", "1")
    assert done.code == 2
    assert "--where asks a table of sessions" in done.err


def test_since_goes_by_the_time_of_files(tmp_path: Path) -> None:
    root = tmp_path / "store"
    for number, day in enumerate(("2026-03-01", "2026-03-05")):
        folder = sample("claude-code/healthy", root / str(number))
        then = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
        for path in folder.rglob("*"):
            os.utime(path, (then, then))
    late = suture("check", root, "--since", "2026-03-04", "--format", "json")
    assert {Path(s["path"]).parts[len(root.parts)] for s in late.json["sessions"]} == {"1"}
    none = suture("check", root, "--since", "2026-03-06", "--format", "json")
    assert (none.code, none.json["sessions"]) == (0, [])
    assert suture("inspect", root, "--since", "2026-03-06").out == (
        "no session was written to since then\n"
    )


def test_a_time_that_is_none_is_a_mistake_of_usage(tmp_path: Path) -> None:
    store = sample("codex/healthy", tmp_path / "store")
    assert suture("check", store, "--since", "yesterday").code == 2
