"""What repairs do to sessions of the OpenAI Agents SDK; the cases show the rows."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from agents_databases import BRANCHES, BY_TIME, call, filled, listed, output, reasoning, say, schema
from agents_databases import user as prompt
from row_desk import Desk, desk, write

from suture import api
from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    Cut,
    DropPart,
    Move,
    Note,
    Operation,
    Outcome,
    SetCounter,
    Truncate,
)
from suture.model.place import Span
from suture.model.scope import Scope, Wanted
from suture.stores.openai_agents import STORE

TALK = (prompt(), reasoning(), call("a"), call("b"), prompt("well?"), say(), prompt("on"))
TIMED = BY_TIME.format(messages="agent_messages")


def answer(n: int, name: str) -> Answer:
    return Answer(0, n, 0, name, Outcome.UNKNOWN)


def said(opened: Desk) -> list[str]:
    """The calls, results and words of the session, in the order in which they are sent."""
    found = opened.tables(full=True)
    ids = {row["n"]: row["call_id"] for table in ("call", "result") for row in found[table]}
    texts = {row["n"]: row["text"] for row in found["part"]}
    return [f"{r['kind']} {ids.get(r['n']) or texts.get(r['n']) or ''}" for r in found["record"]]


@pytest.mark.parametrize("index", ["", TIMED])
def test_answers_in_the_middle_stand_behind_their_batch(index: str, tmp_path: Path) -> None:
    script = schema() + filled(TALK) + index
    with desk(STORE, tmp_path / "a.db", script) as opened:
        before = said(opened)
        assert opened.repair(answer(3, "b"), answer(2, "a")) == ["payload", "payload"]
        assert said(opened) == [*before[:4], "result a", "result b", *before[4:]]


def test_at_the_end_nothing_before_changes(tmp_path: Path) -> None:
    with desk(STORE, tmp_path / "a.db", schema() + filled(TALK[:4])) as opened:
        before = opened.rows("select * from agent_messages")
        assert opened.repair(answer(2, "a"), answer(3, "b")) == ["append", "append"]
        assert opened.rows("select * from agent_messages where id < 5") == before


def test_other_sessions_keep_their_ids(tmp_path: Path) -> None:
    other = filled([prompt("other"), say("fine")], "s2")
    script = schema() + filled(TALK[:3]) + other + filled(TALK[4:], "s1").split("\n", 1)[1]
    with desk(STORE, tmp_path / "a.db", script) as opened:
        kept = opened.rows("select * from agent_messages where session_id = 's2'")
        opened.repair(answer(2, "a"))
        assert opened.rows("select * from agent_messages where session_id = 's2'") == kept
        assert said(opened)[3] == "result a"


def test_what_follows_in_the_same_second_still_follows(tmp_path: Path) -> None:
    """And what another session wrote then keeps its number."""
    talk, other = filled(TALK, times=[1, 1, 2, 2, 2, 2, 3]), filled([prompt("other")], "s2")
    with desk(STORE, tmp_path / "a.db", schema() + talk + other + TIMED) as opened:
        before = said(opened)
        opened.repair(answer(3, "b"), answer(2, "a"))
        assert said(opened) == [*before[:4], "result a", "result b", *before[4:]]
        ids = opened.rows("select id, session_id from agent_messages where id > 6 order by id")
        assert ids == [(7, "s1"), (8, "s2"), (9, "s1"), (10, "s1"), (11, "s1"), (12, "s1")]


def test_a_call_takes_its_reasoning_along_unless_a_sibling_stays(tmp_path: Path) -> None:
    with desk(STORE, tmp_path / "a.db", schema() + filled([*TALK[:4], output("b")])) as opened:
        opened.repair(DropPart(0, 2, 0))
        assert said(opened) == ["prompt go", "reasoning ", "call b", "result b"]
        opened.repair(DropPart(0, 2, 0), DropPart(0, 3, 0))
        assert said(opened) == ["prompt go"]


def test_one_block_of_a_message_goes(tmp_path: Path) -> None:
    blocks = [{"type": "input_text", "text": text} for text in ("", "stays")]
    item = {"role": "user", "content": blocks, "x": 1.0}
    with desk(STORE, tmp_path / "a.db", schema() + filled([item])) as opened:
        opened.repair(DropPart(0, 0, 0))
        ((data,),) = opened.rows("select message_data from agent_messages")
    assert (
        data == '{"role": "user", "content": [{"type": "input_text", "text": "stays"}], "x": 1.0}'
    )


def test_the_manner_of_writing_json_is_kept(tmp_path: Path) -> None:
    compact = '{"role":"user","content":"grüß dich"}'
    bare = '{"type":"function_call","call_id":"a","name":"make","arguments":"{}"}'
    with desk(STORE, tmp_path / "a.db", schema() + filled([compact, bare]) + TIMED) as opened:
        opened.repair(answer(1, "a"))
        ((data,),) = opened.rows("select message_data from agent_messages where id = 3")
    assert data.startswith('{"call_id":"a","output":"[suture] ')


@pytest.mark.parametrize(
    "item",
    [
        {"type": "computer_call", "call_id": "a"},
        {"type": "shell_call", "call_id": "a"},
        {"type": "apply_patch_call", "call_id": "a"},
    ],
)
def test_no_output_is_invented_that_would_claim_something(
    item: dict[str, str], tmp_path: Path
) -> None:
    with desk(STORE, tmp_path / "a.db", schema() + filled([prompt(), item])) as opened:
        with pytest.raises(Unsupported, match="says more than is known"):
            opened.repair(answer(1, "a"))
        opened.repair(DropPart(0, 1, 0))
        assert said(opened) == ["prompt go"]


@pytest.mark.parametrize(
    "operation",
    [Cut(Span("a.db", 1, 0, 1)), SetCounter(0, "counter", 3)],
)
def test_what_cannot_be_done_is_said(operation: Operation, tmp_path: Path) -> None:
    with (
        desk(STORE, tmp_path / "a.db", schema() + filled([prompt()])) as opened,
        pytest.raises(Unsupported, match=r"rows|tables"),
    ):
        opened.repair(operation)


PLACES = listed((1, "main", 1), (2, "main", 2), (3, "main", 3), (1, "b", 4), (4, "b", 5))


def test_branches_are_not_cut_and_turns_not_shifted(tmp_path: Path) -> None:
    talk = (prompt(), call("a"), prompt("on"), say("there"))
    with desk(STORE, tmp_path / "a.db", schema() + BRANCHES + filled(talk) + PLACES) as opened:
        with pytest.raises(Unsupported, match="has branches"):
            opened.repair(Truncate(0, 0))
        with pytest.raises(Unsupported, match="lists the one"):
            opened.repair(Move(0, 3, 1))
        opened.repair(DropPart(0, 1, 0), Note(0, 1, ("make",)))
        main = opened.rows(
            "select message_id, sequence_number, user_turn_number from message_structure "
            "where branch_id = 'main' order by sequence_number"
        )
        assert main == [(1, 1, 1), (3, 3, 1), (5, 4, 2)]


def test_numbers_of_messages_move_up_only_where_they_must(tmp_path: Path) -> None:
    talk = (prompt(), call("a"), prompt("on"), say("there"))
    with desk(STORE, tmp_path / "a.db", schema() + BRANCHES + filled(talk) + PLACES) as opened:
        opened.repair(answer(1, "a"))
        assert opened.rows(
            "select message_id, branch_id, sequence_number from message_structure "
            "order by sequence_number"
        ) == [
            (1, "main", 1),
            (2, "main", 2),
            (5, "main", 3),
            (3, "main", 4),
            (1, "b", 5),
            (4, "b", 6),
        ]


def test_two_sessions_of_a_database_get_different_ids_and_go_back_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write(
        path, schema() + filled([prompt(), call("a")], "s1") + filled([prompt(), call("b")], "s2")
    )
    before = dump(path)
    api.plan(Scope((str(path),), assume="dead"), Wanted(), tmp_path / "plan.json")
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert applied.exit_code == 0
    assert "VALUES(5,'s1'" in dump(path) and "VALUES(6,'s2'" in dump(path)
    assert applied.journal is not None
    api.undo(applied.journal, tmp_path / "journal")
    assert dump(path) == before


def test_an_append_after_the_plan_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write(path, schema() + filled([prompt(), call("a")]))
    api.plan(Scope((str(path),), assume="dead"), Wanted(), tmp_path / "plan.json")
    write(path, "update agent_sessions set updated_at = '2026-03-02 10:00:00';")
    before = dump(path)
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 4
    assert dump(path) == before


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())
