"""Schemas of several kinds, read as their mapping says."""

from collections.abc import Callable
from typing import Any

import pytest

Open = Callable[[str, str], Any]

CHAT = """
create table messages (
  id integer primary key autoincrement, thread integer, position integer, body text);
insert into messages (thread, position, body) values
  (7, 10, '{"role":"user","content":"Roll it out."}'),
  (7, 20, '{"role":"assistant","content":null,"tool_calls":[
     {"id":"c1","function":{"name":"build","arguments":"{}"}},
     {"id":"c2","function":{"name":"deploy","arguments":"{}"}}]}'),
  (7, 30, '{"role":"tool","tool_call_id":"c1","content":"built"}'),
  (12, 10, '{"role":"user","content":"Hello."}'),
  (12, 20, '{"role":"assistant","content":"Hello."}');
"""

CHAT_MAP = """
[message]
table = "messages"
session = "thread"
ordinal = "position"
payload = "body"
role = "$.role"
text = "$.content"
[message.kinds]
prompt = "user"
reply = "assistant"
result = "tool"
[call]
each = "$.tool_calls[*]"
id = "@.id"
name = "@.function.name"
arguments = "@.function.arguments"
[result]
id = "$.tool_call_id"
output = "$.content"
"""


def test_roles_and_calls_in_the_json_of_one_column(service: Open) -> None:
    chat = service(CHAT, CHAT_MAP)
    assert chat.ask("select kind, ordinal from record order by session, n") == [
        *[("prompt", 10), ("reply", 20)],  # 12 comes before 7 as text
        *[("prompt", 10), ("call", 20), ("result", 30)],
    ]
    assert chat.ask("select call_id, name from call order by part") == [
        ("c1", "build"),
        ("c2", "deploy"),
    ]
    assert chat.found() == ["partial-parallel c2"]


def test_a_session_whose_id_is_a_number_is_one_unit(service: Open) -> None:
    chat = service(CHAT, CHAT_MAP)
    assert chat.ask("select id from session order by session") == [("12",), ("7",)]


def test_a_call_that_waits_for_an_approval_stays_open(service: Open) -> None:
    tables = """
        create table log (s text, n integer, kind text, call text, state text, body text);
        insert into log values ('x', 1, 'ask', null, null, 'go'),
          ('x', 2, 'tool', 'c1', 'parked', '{}');
    """
    mapping = """
        [message]
        table = "log"
        session = "s"
        ordinal = "n"
        payload = "body"
        kind = "kind"
        [message.kinds]
        prompt = "ask"
        call = "tool"
        [call]
        id = "call"
        status = "state"
        [call.states]
        awaiting = ["parked", "needs_ok"]
        running = "busy"
    """
    store = service(tables, mapping)
    assert store.found() == []
    store.run("update log set state = 'busy' where n = 2")
    assert store.found() == ["orphan-call-tail c1"]


def test_a_payload_that_is_no_json_is_a_finding_at_its_row(service: Open) -> None:
    chat = service(CHAT, CHAT_MAP.replace('role = "$.role"', 'role = "$.role"\njson = true'))
    chat.run("update messages set body = '{\"role\":' where id = 4")
    (finding,) = (f for f in chat.findings() if f.session == "12")
    assert (finding.rule, finding.place.table, finding.place.key) == (
        "bad-json",
        "messages",
        '{"id":4}',
    )


def test_a_prompt_between_call_and_result_is_told(service: Open) -> None:
    chat = service(CHAT, CHAT_MAP)
    chat.run(
        "insert into messages (thread, position, body) values "
        '(7, 40, \'{"role":"user","content":"Well?"}\'), '
        '(7, 50, \'{"role":"tool","tool_call_id":"c2","content":"out"}\')'
    )
    assert chat.found() == ["result-displaced c2"]


def test_check_leaves_every_byte_as_it_was(service: Open) -> None:
    chat = service(CHAT, CHAT_MAP)
    before = chat.path.read_bytes()
    chat.found()
    chat.plan()
    assert chat.path.read_bytes() == before
    assert sorted(p.name for p in chat.folder.iterdir()) == [
        "plan.json",
        "service.db",
        "service.toml",
    ]


def test_a_result_that_was_left_out_answers_nothing(service: Open) -> None:
    mapping = CHAT_MAP.replace('text = "$.content"', 'text = "$.content"\nactive = "live"')
    chat = service(CHAT.replace("body text", "body text, live integer default 1"), mapping)
    chat.run(
        "insert into messages (thread, position, body) values "
        '(12, 30, \'{"role":"tool","tool_call_id":"zz","content":"?"}\')'
    )
    assert chat.found() == ["orphan-result zz", "partial-parallel c2"]
    chat.run("update messages set live = 0 where position = 30 and thread = 12")
    assert chat.found() == ["partial-parallel c2"]


@pytest.mark.parametrize("ordinal", ["--1", "-", "1" * 5000, "1.5"])
def test_an_ordinal_that_is_no_number_is_none(service: Open, ordinal: str) -> None:
    chat = service(CHAT.replace("position integer", "position text"), CHAT_MAP)
    chat.run(f"update messages set position = '{ordinal}' where id = 5")
    assert chat.ask("select ordinal from record where kind = 'reply'") == [(None,)]


def test_a_session_whose_id_is_no_utf8_is_judged_and_left_alone(service: Open) -> None:
    tables = CHAT.replace("thread integer", "thread text").replace("(7,", "(cast(x'ff41' as text),")
    answer = '[write.answer]\nbody = \'{"role": "tool", "tool_call_id": "{call_id}"}\'\n'
    chat = service(tables, CHAT_MAP + answer)
    assert chat.found() == ["partial-parallel c2"]
    assert chat.reasons() == ["the id of the session is not UTF-8: no plan can name it"]


def test_the_first_message_is_missed_where_numbers_begin_at_zero(service: Open) -> None:
    tables = (
        "create table notes (chat text, nr integer, who text, body text, primary key (chat, nr));"
        "insert into notes values ('a', 1, 'human', 'Hello.'), ('a', 2, 'model', 'Hello.');"
    )
    mapping = """
        [message]
        table = "notes"
        session = "chat"
        ordinal = "nr"
        payload = "body"
        role = "who"
        first = 0
        dense = true
        [message.kinds]
        prompt = "human"
        reply = "model"
    """
    assert service(tables, mapping).found() == ["seq-gap"]
