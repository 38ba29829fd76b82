"""LangGraph's checkpoints on PostgreSQL: values of channels in rows of their own."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph_threads import ai, extension, human, packed, tool
from running import PASSWORD, Base
from server_desk import Desk

from suture import api
from suture.model.scope import Scope, Wanted

pytestmark = [
    pytest.mark.servers,
    pytest.mark.parametrize("server", ["postgresql"], indirect=True),
]

ASKED = (human("h"), ai("a", "call-1", "call-2"))


@pytest.fixture
def desk(database: Callable[[str], Base], tmp_path: Path) -> Desk:
    return Desk(database("langgraph"), tmp_path)


def checkpoint(
    base: Base, number: int, versions: dict[str, Any], thread: str = "t", **values: Any
) -> None:
    """A child of the one before; `values` lie in its own row."""
    held = {"v": 4, "ts": "2026-03-02T09:00:00+00:00", "channel_versions": versions}
    base.run(
        "insert into checkpoints values (%s, '', %s, %s, null, %s, %s)",
        thread,
        f"c{number}",
        f"c{number - 1}" if number > 1 else None,
        json.dumps({**held, "channel_values": values}),
        json.dumps({"source": "loop", "step": number}),
    )


def blob(
    base: Base, channel: str, version: str, data: bytes, kind: str = "msgpack", thread: str = "t"
) -> None:
    sql = "insert into checkpoint_blobs values (%s, '', %s, %s, %s, %s)"
    base.run(sql, thread, channel, version, kind, data)


def write(base: Base, number: int, channel: str, value: Any, task: str = "task") -> None:
    sql = "insert into checkpoint_writes values ('t', '', %s, %s, 0, %s, 'msgpack', %s, '')"
    base.run(sql, f"c{number}", task, channel, packed(value))


def told(desk: Desk) -> list[tuple[str, str, str]]:
    """Rule, table and words or id of each finding; nothing on the server changes."""
    before = desk.base.dump()
    found = [
        (one.rule, getattr(one.place, "table", ""), " ".join(one.ids) or one.message)
        for one in desk.found()
    ]
    assert desk.base.dump() == before
    return found


def test_the_newest_state_is_put_together_from_its_blobs(desk: Desk) -> None:
    blob(desk.base, "messages", "1", packed([human("h")]))
    blob(desk.base, "messages", "2", packed(list(ASKED)))
    checkpoint(desk.base, 1, {"messages": "1"})
    checkpoint(desk.base, 2, {"messages": "2", "round": "1"}, round=1)
    assert told(desk) == [
        ("orphan-call-tail", "checkpoints", "call-1"),
        ("orphan-call-tail", "checkpoints", "call-2"),
    ]
    (line,) = api.sessions(desk.scope)
    assert (line.id, line.records) == ("t", 4)


def test_a_plan_has_reasons_and_no_steps(desk: Desk) -> None:
    blob(desk.base, "messages", "1", packed(list(ASKED)))
    checkpoint(desk.base, 1, {"messages": 1})  # older versions are numbers
    plan = desk.plan(Wanted())
    (unit,) = plan.units
    assert not unit.steps
    assert {skip.reason for skip in unit.skipped} == {
        "only the program's own graph writes a state, with update_state"
    }
    assert PASSWORD not in desk.plan_file.read_text("utf-8")


@pytest.mark.parametrize(
    ("channel", "value", "rules"),
    [
        ("__interrupt__", [extension(2, "langgraph.types", "Interrupt", {})], {"pending-call"}),
        ("__error__", "boom", {"partial-parallel"}),
    ],
)
def test_what_was_written_on_top(desk: Desk, channel: str, value: Any, rules: set[str]) -> None:
    blob(desk.base, "messages", "1", packed(list(ASKED)))
    checkpoint(desk.base, 1, {"messages": "1"})
    write(desk.base, 1, channel, value)
    write(desk.base, 1, "messages", [tool("r", "call-1")], "another")
    assert {rule for rule, _, _ in told(desk)} == rules
    assert [name for _, _, name in told(desk)] == ["call-2"]


def test_a_node_that_has_still_to_run_is_no_damage(desk: Desk) -> None:
    blob(desk.base, "messages", "1", packed(list(ASKED)))
    waiting: dict[str, Any] = {"branch:to:tools": None}
    checkpoint(desk.base, 1, {"messages": "1"}, **waiting)
    assert [rule for rule, _, _ in told(desk)] == ["pending-call", "pending-call"]


def test_rows_that_name_what_is_not_there(desk: Desk) -> None:
    blob(desk.base, "messages", "1", packed([human("h")]))
    blob(desk.base, "__start__", "1", packed({"messages": [human("h")]}))
    checkpoint(desk.base, 1, {"messages": "1", "__start__": "1"})
    checkpoint(desk.base, 2, {"messages": "2", "__start__": "2"})  # the start was consumed
    write(desk.base, 9, "messages", [human("i")])
    blob(desk.base, "messages", "7", packed([human("h")]), thread="no checkpoint")
    words = {table: words for _, table, words in told(desk)}
    assert [rule for rule, _, _ in told(desk)] == ["foreign-key", "foreign-key"]
    assert "the value of 'messages' at version 2 is not there" in words["checkpoints"]
    assert "a checkpoint that is not there" in words["checkpoint_writes"]


def test_a_channel_that_was_empty_has_lost_nothing(desk: Desk) -> None:
    blob(desk.base, "messages", "1", packed([human("h")]))
    desk.base.run("insert into checkpoint_blobs values ('t', '', 'messages', '2', 'empty', null)")
    checkpoint(desk.base, 1, {"messages": "1"})
    checkpoint(desk.base, 2, {"messages": "2"})
    assert told(desk) == []


def test_differences_have_a_value_at_some_versions_only(desk: Desk) -> None:
    blob(desk.base, "messages", "1", packed(extension(7, human("h"))))
    checkpoint(desk.base, 1, {"messages": "1"}, messages=True)
    checkpoint(desk.base, 2, {"messages": "2"})
    assert told(desk) == []


@pytest.mark.parametrize("data", [b"\x93\x01", b"\xc1", packed(extension(2, 1))])
def test_a_blob_that_nobody_writes(desk: Desk, data: bytes) -> None:
    blob(desk.base, "notes", "1", data)
    checkpoint(desk.base, 1, {"notes": "1"})
    ((rule, table, words),) = told(desk)
    assert (rule, table) == ("bad-json", "checkpoint_blobs") and "'notes'" in words


def test_nothing_that_a_blob_names_is_run(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    blob(desk.base, "a", "1", b"cos\nsystem\n(S'echo ran'\ntR.", "pickle")
    blob(desk.base, "b", "1", packed(extension(0, "os", "system", "echo ran")))
    blob(desk.base, "c", "1", b"\0", "msgpack+aes")
    checkpoint(desk.base, 1, {"a": "1", "b": "1", "c": "1"})
    assert told(desk) == []
    assert "ran" not in capfd.readouterr().out


def test_checkpoints_that_are_none(desk: Desk) -> None:
    rows: Sequence[Any] = ([1], {"v": 4}, {"channel_versions": 1})
    for number, held in enumerate(rows):
        sql = "insert into checkpoints values ('t', '', %s, null, null, %s, '{}')"
        desk.base.run(sql, f"c{number}", json.dumps(held))
    assert [(rule, table) for rule, table, _ in told(desk)] == [("bad-shape", "checkpoints")] * 3


def test_only_the_wanted_thread_is_copied(desk: Desk) -> None:
    for thread in ("t", "u"):
        blob(desk.base, "messages", "1", packed(list(ASKED)), thread=thread)
        checkpoint(desk.base, 1, {"messages": "1"}, thread)
    found = api.check(Scope((desk.base.url,), sessions=("u",)), desk.journal).findings
    keys = {json.loads(getattr(item.finding.place, "key"))["thread_id"] for item in found}  # noqa: B009
    assert keys == {"u"}
