"""SQLAlchemySession on servers: tables of any name, and numbers that the server gives."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Base
from server_desk import NOW, ORPHANS, Desk, filled

from suture import api
from suture.model.answer import MARK
from suture.model.errors import NothingToRead
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.servers

WORDS = (
    '{"role":"user","content":"go"}',
    '{"type":"function_call","call_id":"a","name":"make","arguments":"{}"}',
    '{"role":"user","content":"well?"}',
    '{"role":"user","content":"still there?"}',
)


@pytest.fixture
def desk(database: Callable[[str], Base], tmp_path: Path) -> Desk:
    return filled(database("agents"), ORPHANS["agents"], tmp_path)


def append(base: Base, session: str, words: str, time: str = "2026-03-02 09:20:00") -> None:
    """As the SDK does: the server numbers the row."""
    sql = "insert into agent_messages (session_id, message_data, created_at) values (%s, %s, %s)"
    base.run(sql, session, words, time)


def messages(base: Base, session: str) -> list[str]:
    """As the SDK loads them."""
    sql = "select message_data from agent_messages where session_id = %s order by created_at, id"
    return [str(words) for (words,) in base.run(sql, session)]


def test_the_numbers_of_other_sessions_are_not_taken(desk: Desk) -> None:
    """Only the rows of one session are copied, and the server alone knows the next number."""
    desk.base.run("insert into agent_sessions (session_id) values ('s2')")
    append(desk.base, "s2", WORDS[0])
    scope = Scope((desk.base.url,), sessions=("s1",), now=NOW)
    api.plan(scope, Wanted(), desk.plan_file)
    append(desk.base, "s2", WORDS[0])
    other = desk.base.run("select * from agent_messages where session_id = 's2' order by id")
    applied = desk.apply()
    assert applied.exit_code == 0, applied.outcomes
    append(desk.base, "s1", WORDS[0])  # a number that is given out twice would be refused
    outputs = [json.loads(words).get("output", "") for words in messages(desk.base, "s1")]
    assert [text.startswith(MARK) for text in outputs] == [*[False] * 4, True, True, False]
    assert desk.base.run("select * from agent_messages where session_id = 's2' order by id") == (
        other
    )


def test_what_follows_in_the_same_second_still_follows(
    database: Callable[[str], Base], tmp_path: Path
) -> None:
    desk = Desk(database("agents"), tmp_path)
    desk.base.run("insert into agent_sessions (session_id) values ('s1')")
    for words in WORDS[:3]:
        append(desk.base, "s1", words, "2026-03-02 09:20:00")
    append(desk.base, "s1", WORDS[3], "2026-03-02 09:20:01")
    before = desk.base.dump()
    desk.plan()
    applied = desk.apply()
    assert applied.exit_code == 0, applied.outcomes
    found = messages(desk.base, "s1")
    assert [*found[:2], *found[3:]] == list(WORDS)
    assert json.loads(found[2])["call_id"] == "a"
    assert desk.found() == []
    api.undo(applied.journal, desk.journal)
    assert desk.base.dump() == before


def renamed(base: Base) -> None:
    base.run("alter table agent_sessions rename to talks")
    base.run("alter table agent_messages rename to talk_items")


def test_tables_of_another_name_beside_sessions_of_the_program(desk: Desk) -> None:
    renamed(desk.base)
    times = "created_at timestamp null, updated_at timestamp null"
    desk.base.run(f"create table http_sessions (session_id varchar(40), cookie int, {times})")
    desk.base.run("create table nothing_of_ours (id int)")
    before = desk.base.run("select * from talk_items order by id")
    assert {finding.rule for finding in desk.found()} == {"orphan-call-tail"}
    desk.plan()
    applied = desk.apply()
    assert applied.exit_code == 0, applied.outcomes
    assert desk.found() == []
    where = Scope((desk.base.url,), where="updated_at is not null", now=NOW)
    assert [line.id for line in api.sessions(where)] == ["s1"]
    api.undo(applied.journal, desk.journal)
    assert desk.base.run("select * from talk_items order by id") == before


def test_several_pairs_of_tables_are_not_guessed_at(desk: Desk) -> None:
    desk.base.run("create table more_items as select * from agent_messages")
    with pytest.raises(NothingToRead, match="agent_messages, agent_sessions, more_items"):
        desk.found()
