"""Repairs write what the mapping gives values for, and say which key is missing otherwise."""

import json
from collections.abc import Callable
from typing import Any

from suture.model.operation import Policy

Open = Callable[[str, str], Any]

TABLES = """
create table talks (id integer primary key, next integer, state text);
create table lines (
  id text primary key, talk integer not null, nr integer not null, who text not null, call text,
  body text, shown integer default 1, at text, unique (talk, nr));
insert into talks values (1, 4, 'idle');
insert into lines values
  ('a', 1, 1, 'person', null, 'Ship it.', 1, '2026-03-02 09:14:01'),
  ('b', 1, 2, 'tool_call', 'c1', '{"tool":"build"}', 1, '2026-03-02 09:14:02'),
  ('c', 1, 3, 'tool_call', 'c2', '{"tool":"deploy"}', 1, '2026-03-02 09:14:02');
"""
READ = """
[session]
table = "talks"
id = "id"
counter = "next"
status = "state"
states = { running = "busy", closed = "over" }
[message]
table = "lines"
session = "talk"
ordinal = "nr"
payload = "body"
role = "who"
time = "at"
active = "shown"
[message.kinds]
prompt = "person"
reply = "model"
call = "tool_call"
result = "tool_result"
[call]
id = "call"
name = "$.tool"
[result]
id = "call"
"""
ANSWER = """
[write]
inactive = false
interrupted = "lost"
[write.answer]
id = "{uuid}"
who = "tool_result"
call = "{call_id}"
body = "{text}"
[write.note]
id = "{uuid}"
who = "person"
body = "{text}"
"""


def test_two_calls_get_their_answers_and_the_counter_goes_on(service: Open) -> None:
    store = service(TABLES, READ + ANSWER)
    assert store.found() == ["orphan-call-tail c1", "orphan-call-tail c2"]
    before = store.dump()
    store.plan()
    journal = store.apply()
    assert store.rows("select nr, who, call, shown, at from lines where nr > 3 order by nr") == [
        (4, "tool_result", "c1", 1, "2026-03-02 09:14:02.001"),
        (5, "tool_result", "c2", 1, "2026-03-02 09:14:02.002"),
    ]
    ((body,),) = store.rows("select body from lines where nr = 5")
    assert body.startswith("[suture] Execution of this deploy call was interrupted")
    assert store.rows("select next from talks") == [(6,)]
    assert store.found() == []
    store.undo(journal)
    assert store.dump() == before


def test_a_plan_is_carried_out_without_the_mapping_file(service: Open) -> None:
    store = service(TABLES, READ + ANSWER)
    store.plan()
    store.map.unlink()
    store.apply()
    assert store.rows("select count(*) from lines") == [(5,)]


def test_a_plan_holds_the_mapping_once(service: Open) -> None:
    store = service(TABLES, READ + ANSWER)
    store.run("insert into talks values (2, 2, 'idle')")
    store.run(
        "insert into lines values ('d', 2, 1, 'tool_call', 'c9', '{\"tool\":\"t\"}', 1, null)"
    )
    plan = store.plan()
    assert len(plan.units) == 2
    document = json.loads((store.folder / "plan.json").read_text())
    assert document["mapping"] == READ + ANSWER
    assert [unit.mapping for unit in plan.units] == [READ + ANSWER] * 2


def test_drop_leaves_the_calls_out_and_a_note_in(service: Open) -> None:
    store = service(TABLES, READ + ANSWER)
    before = store.dump()
    store.plan(Policy.DROP)
    journal = store.apply()
    assert store.rows("select nr from lines where shown order by nr") == [(1,), (4,)]
    ((note,),) = store.rows("select body from lines where nr = 4")
    assert "build, deploy" in note
    assert store.rows("select count(*) from lines") == [(4,)]
    assert store.found() == []
    store.undo(journal)
    assert store.dump() == before


def test_without_write_the_store_is_only_checked(service: Open) -> None:
    store = service(TABLES, READ)
    assert store.reasons() == ["the mapping has no [write]: this store is only checked"] * 2


def test_a_missing_value_is_named(service: Open) -> None:
    store = service(TABLES, READ + "[write]\n")
    wanted = "the mapping has no [write.answer], the row that this repair would add"
    assert store.reasons() == [wanted] * 2
    store = service("update talks set state = 'busy'", READ + "[write]\ninactive = 0\n")
    reasons = store.reasons()
    assert "the mapping has no write.interrupted, the value that this repair would write" in reasons


def test_a_column_that_must_have_a_value_is_named(service: Open) -> None:
    store = service(TABLES, READ + ANSWER.replace('who = "tool_result"', ""))
    assert store.reasons() == ["the row to add in [write] has no value for who"] * 2


def test_an_answer_that_would_not_be_read_as_one_is_refused(service: Open) -> None:
    store = service(TABLES, READ + ANSWER.replace('who = "tool_result"', 'who = "model"'))
    assert all("is not read as the result of the call" in reason for reason in store.reasons())


MID = """
insert into lines values ('d', 1, {}, 'person', null, 'And?', 1, null);
update talks set next = 99;
"""


def test_no_message_is_moved_to_make_room_for_an_answer(service: Open) -> None:
    store = service(TABLES + MID.format(4), READ + ANSWER)
    assert store.reasons() == ["message 4 follows the call, and no ordinal between is free"] * 2


def test_an_answer_goes_where_an_ordinal_is_free(service: Open) -> None:
    store = service(TABLES + MID.format(40), READ + ANSWER)
    store.plan()
    store.apply()
    assert store.rows("select nr, call from lines where nr > 3 order by nr") == [
        *[(4, "c1"), (5, "c2")],
        (40, None),
    ]
    assert store.rows("select next from talks") == [(99,)]
    assert store.found() == []


def test_where_there_is_room_for_one_answer_one_is_written(service: Open) -> None:
    store = service(TABLES + MID.format(5), READ + ANSWER)
    (unit,) = store.plan().units
    assert [skip.reason for skip in unit.skipped] == [
        "message 5 follows the call, and no ordinal between is free"
    ]
    store.apply()
    assert store.found() == ["partial-parallel c2"]


def test_a_session_that_was_left_running_is_stored_as_interrupted(service: Open) -> None:
    store = service(TABLES, READ + ANSWER)
    store.run("delete from lines where nr > 1; update talks set state = 'busy'")
    assert store.found() == ["stale-running"]
    store.plan()
    store.apply()
    assert store.rows("select state from talks") == [("lost",)]


KILLED = """
create table s (id text primary key, v integer);
create table m (s text, n integer, kind text, t text, v integer, on_ integer, primary key (s, n));
create table c (s text, v integer, n integer, o text);
insert into s values ('x', 0);
insert into m values
  ('x', 1, 'u', 'a', 0, 0), ('x', 2, 'b', 'b', 0, 0), ('x', 3, 'sum', 'ab', 1, 1);
insert into c values ('x', 1, 3, '[1, 2]');
"""


def test_a_begun_compaction_that_hid_its_originals_is_not_taken_out(service: Open) -> None:
    store = service(
        KILLED,
        """
        session = { table = "s", id = "id", version = "v" }
        summary = { table = "c", session = "s", message = "n", version = "v", covers = "o" }
        [message]
        table = "m"
        session = "s"
        ordinal = "n"
        payload = "t"
        kind = "kind"
        version = "v"
        active = "on_"
        kinds = { prompt = "u", reply = "b", summary = "sum" }
        [write]
        inactive = 0
        """,
    )
    assert store.found() == ["window-ahead"]
    (reason,) = store.reasons()
    assert reason.startswith("message 1 and what else the summary stands for are left out already")


def _refusing(script: str) -> str:
    return f"""{TABLES}
insert into talks values (2, 2, 'idle');
insert into lines values
  ('d', 2, 1, 'tool_call', 'c3', '{{"tool":"build"}}', 1, '2026-03-02 09:14:02');
{script}"""


def test_a_row_that_a_trigger_refuses_costs_its_session_alone(service: Open) -> None:
    trigger = """create trigger only_people before insert on lines when new.talk = 1
        begin select raise(abort, 'ask the owner'); end;"""
    store = service(_refusing(trigger), READ + ANSWER)
    plan = store.plan()
    assert [len(unit.steps) for unit in plan.units] == [0, 1]
    assert {skip.reason for skip in plan.units[0].skipped} == {
        "the database refuses it: ask the owner"
    }
    before = store.dump()
    journal = store.apply()
    assert store.found() == ["orphan-call-tail c1", "orphan-call-tail c2"]
    store.undo(journal)
    assert store.dump() == before


def test_a_trigger_that_changes_what_the_repair_changes_is_named(service: Open) -> None:
    trigger = """create trigger counted after insert on lines
        begin update talks set next = next + 1 where id = new.talk; end;"""
    store = service(_refusing(trigger), READ + ANSWER)
    assert set(store.reasons()) == {"the database itself changes rows that the repair changes"}


def test_a_trigger_that_calls_what_only_its_program_has_is_named(service: Open) -> None:
    trigger = """create trigger told after insert on lines begin select tell(new.id); end;"""
    store = service(_refusing(trigger), READ + ANSWER)
    assert set(store.reasons()) == {"the database refuses it: no such function: tell"}
