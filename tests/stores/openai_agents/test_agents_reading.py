"""What is read of the sessions of the OpenAI Agents SDK."""

import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from agents_databases import (
    BRANCHES,
    BY_TIME,
    Item,
    call,
    filled,
    listed,
    output,
    reasoning,
    say,
    schema,
    user,
)
from row_desk import Tables, desk, write

from suture.stores._discover import read_head
from suture.stores.openai_agents import STORE


def read(folder: Path, script: str, session: str | None = "s1", full: bool = False) -> Tables:
    with desk(STORE, folder / "any.db", script, session) as opened:
        return opened.tables(full)


def items(folder: Path, *found: Item) -> Tables:
    return read(folder, schema() + filled(found))


def kinds(tables: Tables) -> list[str]:
    return [row["kind"] for row in tables["record"]]


@pytest.mark.parametrize("names", [("agent_sessions", "agent_messages"), ("Talks", 'the "items"')])
def test_tables_are_known_by_their_shape(names: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "any.db"
    sessions, messages = names[0], names[1].replace('"', '""')
    script = schema(sessions, messages) + filled([user()], sessions=sessions, messages=messages)
    with desk(STORE, path, script) as opened:
        assert STORE.claims(read_head(str(path)))
        assert opened.units() == ["s1"]
        (record,) = opened.tables()["record"]
    assert (record["table"], record["key"], record["kind"]) == (names[1], '{"id":1}', "prompt")


def test_other_databases_are_left_to_others(tmp_path: Path) -> None:
    write(tmp_path / "a.db", "create table agent_messages (id, session_id, message_data);")
    write(tmp_path / "b.db", schema().replace("updated_at timestamp", "title text"))
    assert not any(STORE.claims(read_head(str(path))) for path in tmp_path.glob("*.db"))


def test_each_pair_of_tables_has_its_sessions(tmp_path: Path) -> None:
    second = schema("s2", "m2") + filled([user(), say()], sessions="s2", messages="m2")
    script = schema() + filled([user()]) + second
    tables = read(tmp_path, script)
    assert [(row["session"], row["id"]) for row in tables["session"]] == [(0, "s1"), (1, "s1")]
    assert [(r["session"], r["table"]) for r in tables["record"]] == [
        (0, "agent_messages"),
        (1, "m2"),
        (1, "m2"),
    ]


def test_kinds_of_items(tmp_path: Path) -> None:
    tables = items(
        tmp_path,
        user(),
        {"role": "developer", "content": "x"},
        reasoning(),
        call("a"),
        output("a"),
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
        {"type": "mcp_list_tools", "id": "l1", "tools": []},
        {"type": "hologram", "id": "h1"},
        say(),
    )
    assert kinds(tables) == [
        "prompt",
        "injected",
        "reasoning",
        "call",
        "result",
        "summary",
        "state",
        "unknown",
        "reply",
    ]
    (compaction,) = tables["compaction"]
    assert (compaction["n"], compaction["originals_stored"], compaction["opaque"]) == (
        5,
        False,
        True,
    )


def test_messages_are_sent_by_id_or_by_time(tmp_path: Path) -> None:
    talk = (user("1"), user("2"), user("3"))
    script = schema() + filled(talk, times=[1, 3, 2])
    by_time = BY_TIME.format(messages="agent_messages")
    plain = read(tmp_path, script)
    (tmp_path / "timed").mkdir()
    timed = read(tmp_path / "timed", script + by_time)
    assert [row["key"] for row in plain["record"]] == ['{"id":1}', '{"id":2}', '{"id":3}']
    assert [row["key"] for row in timed["record"]] == ['{"id":1}', '{"id":3}', '{"id":2}']
    assert plain["session"][0]["variant"] == "sqlite"
    assert timed["session"][0]["variant"] == "sqlalchemy"


def test_branches_share_rows(tmp_path: Path) -> None:
    talk = (user(), call("a"), output("a"), output("a", "again"), user("nobody lists me"))
    places = listed((1, "main", 1), (2, "main", 2), (3, "main", 3))
    shared = listed((1, "b", 4), (2, "b", 5), (4, "b", 6))
    tables = read(tmp_path, schema() + BRANCHES + filled(talk) + places + shared)
    lanes = ["main", "main", "main", "branch b", "unlisted"]
    assert [row["lane"] for row in tables["record"]] == lanes
    assert [row["sent"] for row in tables["record"]] == [True, True, True, False, False]
    assert [(c["n"], c["lane"], c["pos"]) for c in tables["call"]] == [
        (1, "main", 2),
        (1, "branch b", 5),
    ]
    assert [(r["n"], r["lane"], r["pos"]) for r in tables["result"]] == [
        (2, "main", 3),
        (3, "branch b", 6),
    ]
    (unlisted,) = tables["damage"]
    assert (unlisted["kind"], unlisted["ids"]) == ("projection", ["5"])


def test_a_message_stands_where_its_branch_has_it(tmp_path: Path) -> None:
    talk = (user("1"), user("2"), user("3"))
    places = listed((1, "main", 1), (3, "main", 2), (2, "main", 3))
    tables = read(tmp_path, schema() + BRANCHES + filled(talk) + places)
    assert [row["key"] for row in tables["record"]] == ['{"id":1}', '{"id":3}', '{"id":2}']


@pytest.mark.parametrize(
    ("item", "server", "legal"),
    [
        (call("a"), False, None),
        ({"type": "web_search_call", "id": "ws_1"}, True, None),
        ({"type": "mcp_call", "id": "mcp_1", "name": "x"}, True, None),
        (
            {"type": "mcp_approval_request", "id": "r1", "name": "x", "arguments": "{}"},
            False,
            "a person is asked to approve it",
        ),
        (
            {"type": "shell_call", "call_id": "a", "caller": {"type": "program", "caller_id": "p"}},
            False,
            "the provider runs it for a program",
        ),
        (
            {"type": "shell_call", "call_id": "a", "environment": {"type": "container_auto"}},
            True,
            None,
        ),
    ],
)
def test_calls_that_may_stay_open(
    item: dict[str, Any], server: bool, legal: str | None, tmp_path: Path
) -> None:
    (found,) = items(tmp_path, user(), item)["call"]
    assert (found["server"], found["legal_open"]) == (server, legal)


def test_a_program_waits_for_what_it_called(tmp_path: Path) -> None:
    program = {"type": "program", "call_id": "p1"}
    owned = call("a", caller={"type": "program", "caller_id": "p1"})
    found = items(tmp_path, user(), program, owned, {**program, "call_id": "p2"})["call"]
    assert [row["legal_open"] for row in found] == [
        "the provider goes on with its calls",
        None,
        None,
    ]


def test_calls_of_one_response_are_a_batch(tmp_path: Path) -> None:
    talk = (user(), reasoning(), call("a"), call("b"), output("b"), call("c"), say(), call("d"))
    batches = {c["call_id"]: c["batch"] for c in items(tmp_path, *talk)["call"]}
    assert batches["a"] == batches["b"]
    assert len({batches["b"], batches["c"], batches["d"]}) == 3


def test_reasoning_without_what_it_led_to(tmp_path: Path) -> None:
    talk = (reasoning("1"), call("a"), output("a"), reasoning("2"), user(), say(), reasoning("3"))
    odd = items(tmp_path, *talk)["odd_part"]
    assert [(row["n"], row["kind"]) for row in odd] == [(3, "bad_reasoning"), (6, "bad_reasoning")]


def test_an_argument_that_was_being_written_was_not_started(tmp_path: Path) -> None:
    found = items(tmp_path, call("a", status="incomplete", arguments='{"c'), call("b"))["call"]
    assert [row["outcome"] for row in found] == ["never_started", "unknown"]
    assert [row["malformed"] for row in found] == ["its arguments are not JSON", None]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("'{\"role\":'", "bad_json"),
        ("x'22ff22'", "invalid_utf8"),
        ("null", "bad_shape"),
        ("'[1]'", "bad_shape"),
        ('\'{"role":"user","content":"x","n":NaN}\'', "bad_number"),
        ("'{\"type\":7}'", "bad_shape"),
        ('\'{"role":"ghost","content":"x"}\'', "bad_shape"),
    ],
)
def test_a_row_that_cannot_be_read(data: str, kind: str, tmp_path: Path) -> None:
    script = schema() + filled([user(), say()])
    tables = read(
        tmp_path, script + f"update agent_messages set message_data = {data} where id = 1;"
    )
    (damage,) = tables["damage"]
    assert (damage["kind"], damage["n"], damage["key"]) == (kind, 0, '{"id":1}')
    assert len(tables["record"]) == 2


def test_the_full_pass_holds_what_was_said(tmp_path: Path) -> None:
    tables = read(
        tmp_path, schema() + filled([user("hä"), call("a"), output("a", "42")]), full=True
    )
    assert [row["text"] for row in tables["part"]] == ["hä", None, "42"]
    assert tables["part"][1]["data"].startswith(b'{"type": "function_call"')


def test_rows_that_only_the_log_holds_are_read_and_no_byte_changes(tmp_path: Path) -> None:
    path = tmp_path / "live" / "any.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("pragma journal_mode = wal")
        database.executescript(schema() + filled([user(), call("a")]))
        shutil.copytree(path.parent, tmp_path / "crashed")
    crashed = sorted((tmp_path / "crashed").iterdir())
    before = [sha256(file.read_bytes()).digest() for file in crashed]
    with desk(STORE, tmp_path / "crashed" / "any.db", "select 1") as opened:
        assert opened.units() == ["s1"]
        assert kinds(opened.tables()) == ["prompt", "call"]
    assert [sha256(file.read_bytes()).digest() for file in crashed] == before


@pytest.mark.parametrize("role", [{}, [], ["user"], None, 3])
def test_a_role_that_is_no_text_is_told(role: Any, tmp_path: Path) -> None:
    tables = items(tmp_path, {"role": role, "content": "Hello"})
    assert [row["kind"] for row in tables["damage"]] == ["bad_shape"]
    assert tables["damage"][0]["detail"].startswith("role is ")
