"""Goose: what is read, which calls may stay open, and what repairs do to the rows."""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from row_desk import Desk, desk

from suture import api
from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    DropPart,
    Move,
    Note,
    Operation,
    Outcome,
    Rebuild,
    Truncate,
)
from suture.model.scope import Scope, Wanted
from suture.stores.goose import STORE

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "sample_data" / "goose"
CASE = ROOT / "tests/cases/orphan-call-tail/goose/before/sessions.db.sql"
NAME = "20260302_1"
SEEN = '{"userVisible":true,"agentVisible":true}'
Items = Sequence[dict[str, Any]]


def script(*messages: tuple[str, int, Items], name: str = NAME) -> str:
    lines = [CASE.read_text("utf-8").split("insert into messages")[0].replace(NAME, name)]
    return "\n".join([*lines, *(row(*message, name=name) for message in messages)])


def row(role: str, time: int, items: Items, name: str = NAME) -> str:
    body = json.dumps(items).replace("'", "''")
    return (
        "insert into messages (session_id, role, content_json, created_timestamp, metadata_json) "
        f"values ('{name}', '{role}', '{body}', {time}, '{SEEN}');"
    )


def say(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def call(name: str, status: str = "success") -> dict[str, Any]:
    value = {"name": "shell", "arguments": {}}
    return {"type": "toolRequest", "id": name, "toolCall": {"status": status, "value": value}}


def result(name: str, value: Any) -> dict[str, Any]:
    return {
        "type": "toolResponse",
        "id": name,
        "toolResult": {"status": "success", "value": value},
    }


def answer(n: int, part: int, name: str) -> Answer:
    return Answer(0, n, part, name, Outcome.UNKNOWN)


def kinds(opened: Desk) -> list[str]:
    return [found["kind"] for found in opened.tables()["record"]]


def test_seconds_and_milliseconds_are_one_clock(tmp_path: Path) -> None:
    messages = (
        ("assistant", 1_772_442_843_000, [say("second")]),
        ("user", 1_772_442_842, [say("first")]),
    )
    with desk(STORE, tmp_path / "sessions.db", script(*messages), NAME) as opened:
        found = opened.tables(full=True)
    assert [part["text"] for part in found["part"]] == ["first", "second"]
    assert [record["time"] for record in found["record"]] == [
        1_772_442_842_000_000,
        1_772_442_843_000_000,
    ]


def test_what_a_call_and_a_result_say(tmp_path: Path) -> None:
    calls = [call("a"), call("b", "error"), {"type": "toolRequest", "id": "c"}]
    results = [
        result("a", [say("bare")]),
        result("b", {"content": [say("in an object")], "isError": True}),
        {"type": "toolResponse", "id": "c", "toolResult": {"status": "error", "error": "no"}},
    ]
    messages = (("assistant", 1, calls), ("user", 2, results))
    with desk(STORE, tmp_path / "sessions.db", script(*messages), NAME) as opened:
        found = opened.tables(full=True)
    assert [one["outcome"] for one in found["call"]] == ["unknown", "never_started", "unknown"]
    assert [one["malformed"] for one in found["call"]] == [None, None, "it has no name"]
    assert [one["status"] for one in found["result"]] == ["ok", "error", "error"]
    assert [p["text"] for p in found["part"] if p["type"] == "result"] == [
        "bare",
        "in an object",
        "no",
    ]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("content_json = '[{'", "bad_json"),
        ("content_json = '{}'", "bad_shape"),
        ("content_json = '[1]'", "bad_shape"),
        ("content_json = cast(x'ff' as text)", "invalid_utf8"),
        ('content_json = \'[{"type":"toolResponse"}]\'', "bad_shape"),
        ("metadata_json = '{'", "bad_json"),
        ("role = 'tool'", "bad_shape"),
        ("created_timestamp = 'noon'", "bad_shape"),
    ],
)
def test_damage_is_told_by_its_kind(change: str, kind: str, tmp_path: Path) -> None:
    sql = script(("user", 1, [say("go")])) + f"update messages set {change};"
    with desk(STORE, tmp_path / "sessions.db", sql, NAME) as opened:
        assert [found["kind"] for found in opened.tables()["damage"]] == [kind]


def test_only_a_message_without_content_is_taken_out(tmp_path: Path) -> None:
    sql = script(("user", 1, [say("go")]), ("user", 2, [say("on")]))
    sql += "update messages set metadata_json = '{' where id = 1;"
    sql += "update messages set content_json = '{' where id = 2;"
    with desk(STORE, tmp_path / "sessions.db", sql, NAME) as opened:
        found = opened.tables()["damage"]
    assert [(one["field"], one["fixable"]) for one in found] == [
        ("metadata_json", False),
        ("content_json", True),
    ]


@pytest.mark.parametrize("later", [[], [("user", 9, [say("never mind")])]])
def test_a_question_to_a_person_holds_until_the_person_goes_on(
    later: list[tuple[str, int, Items]], tmp_path: Path
) -> None:
    question = {"type": "toolConfirmationRequest", "id": "a", "toolName": "shell"}
    asked = ("assistant", 2, [call("a"), question, call("b")])
    with desk(STORE, tmp_path / "sessions.db", script(asked, *later), NAME) as opened:
        why = [one["legal_open"] for one in opened.tables()["call"]]
    assert why == [None if later else "a person is asked to approve it", None]


@pytest.mark.parametrize("bare", [True, False])
def test_answers_have_the_shape_of_the_others(bare: bool, tmp_path: Path) -> None:
    content = [say("ok")]
    old = result("a", content if bare else {"content": content, "isError": False})
    messages = (
        ("assistant", 1, [call("a"), call("b"), call("c")]),
        ("user", 1, [old]),
        ("user", 5, [say("well?")]),
    )
    with desk(STORE, tmp_path / "sessions.db", script(*messages), NAME) as opened:
        opened.repair(answer(0, 2, "c"), answer(0, 1, "b"))
        assert kinds(opened) == ["call", "result", "result", "result", "prompt"]
        added = opened.rows(
            "select id, role, created_timestamp, metadata_json, content_json from messages "
            "where id > 3 order by id"
        )
    assert [made[:4] for made in added] == [(4, "user", 1, SEEN), (5, "user", 1, SEEN)]
    items = [item for made in added for item in json.loads(made[4])]
    assert [item["id"] for item in items] == ["b", "c"]
    value = items[0]["toolResult"]["value"]
    blocks = value if bare else value["content"]
    assert blocks[0]["text"].startswith("[suture] ")


def test_no_row_fits_between_messages_of_one_moment(tmp_path: Path) -> None:
    messages = script(("assistant", 2, [call("a")]), ("user", 2, [say("well?")]))
    with (
        desk(STORE, tmp_path / "sessions.db", messages, NAME) as opened,
        pytest.raises(Unsupported, match="same time"),
    ):
        opened.repair(answer(0, 0, "a"))


def test_parts_go_and_the_end_too(tmp_path: Path) -> None:
    messages = script(
        ("user", 1, [say("go")]), ("assistant", 2, [say("I do."), call("a")]), ("user", 3, [])
    )
    with desk(STORE, tmp_path / "sessions.db", messages, NAME) as opened:
        opened.repair(DropPart(0, 1, 1), Note(0, 1, ("shell",)))
        assert kinds(opened) == ["prompt", "reply", "prompt", "prompt"]
        opened.repair(Truncate(0, 0))
        assert kinds(opened) == ["prompt"]


@pytest.mark.parametrize("operation", [Move(0, 0, 0), Rebuild(0, "header")])
def test_what_cannot_be_done_is_said(operation: Operation, tmp_path: Path) -> None:
    with (
        desk(STORE, tmp_path / "sessions.db", script(("user", 1, [say("go")])), NAME) as opened,
        pytest.raises(Unsupported, match=r"order of messages|in its row alone"),
    ):
        opened.repair(operation)


def test_samples_are_judged_and_left_alone_by_check(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "goose")
    files = {n: tmp_path / "goose" / n / "sessions.db" for n in ("healthy", "interrupted")}
    before = [sha256(path.read_bytes()).digest() for path in files.values()]
    found = {
        name: [i.finding.rule for i in api.check(Scope((str(path),), assume="dead")).findings]
        for name, path in files.items()
    }
    assert found == {"healthy": [], "interrupted": ["partial-parallel"]}
    assert [sha256(path.read_bytes()).digest() for path in files.values()] == before


def test_a_repair_and_its_undo(tmp_path: Path) -> None:
    path = planned(tmp_path)
    before = dump(path)
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert api.check(Scope((str(path),), assume="dead")).findings == ()
    assert applied.journal is not None
    api.undo(applied.journal, tmp_path / "journal")
    assert dump(path) == before


def test_a_message_after_the_plan_refuses_it(tmp_path: Path) -> None:
    path = planned(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            row("user", 1_772_442_900_000, [say("on")])
            + "update sessions set updated_at = '2026-03-02 09:15:00';"
        )
    before = dump(path)
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 4
    assert dump(path) == before


def planned(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    shutil.copy(SAMPLES / "interrupted" / "sessions.db", path)
    api.plan(Scope((str(path),), assume="dead"), Wanted(), tmp_path / "plan.json")
    return path


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())
