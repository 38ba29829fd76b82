"""Crush: what is read, what repairs do beside triggers, and its lock."""

import fcntl
import json
import os
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
from suture.model.operation import Answer, DropPart, Note, Operation, Outcome, Truncate
from suture.model.scope import Scope, Wanted
from suture.stores.crush import STORE
from suture.stores.crush.lock import lock_holders

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "sample_data" / "crush"
TRIGGERED = ROOT / "tests/cases/count-mismatch/crush-triggers/before/crush.db.sql"
END = {"type": "finish", "data": {"reason": "end_turn", "time": 1}}


def script(*messages: tuple[str, int, Sequence[dict[str, Any]]]) -> str:
    lines = TRIGGERED.read_text("utf-8").split("insert into messages")[:1]
    for at, (role, second, parts) in enumerate(messages):
        body = json.dumps(parts).replace("'", "''")
        lines.append(
            f"insert into messages values ('m{at}', 's1', '{role}', '{body}', null, {second}, "
            f"{second}, null, null, 0);"
        )
    return "\n".join([*lines, f"update sessions set message_count = {len(messages)};"])


def say(text: str) -> dict[str, Any]:
    return {"type": "text", "data": {"text": text}}


def call(name: str, **more: Any) -> dict[str, Any]:
    data = {"id": name, "name": "bash", "input": "{}", "finished": True, **more}
    return {"type": "tool_call", "data": data}


def answer(n: int, part: int, name: str) -> Answer:
    return Answer(0, n, part, name, Outcome.UNKNOWN)


def roles(opened: Desk) -> list[str]:
    return [row["type"] for row in opened.tables()["record"]]


def count(opened: Desk) -> int:
    ((found,),) = opened.rows("select message_count from sessions")
    return int(found)


def test_the_state_of_a_call_is_read(tmp_path: Path) -> None:
    calls = [call("a"), call("b", finished=False), call("c", provider_executed=True)]
    with desk(STORE, tmp_path / "crush.db", script(("assistant", 1, calls))) as opened:
        found = opened.tables()
    assert [row["outcome"] for row in found["call"]] == ["unknown", "never_started", "unknown"]
    assert [row["server"] for row in found["call"]] == [False, False, True]
    assert [row["status"] for row in found["record"]] == ["unfinished"]


def test_a_part_of_an_unknown_type_is_data(tmp_path: Path) -> None:
    parts = [{"type": "hologram", "data": {"x": 1}}]
    with desk(STORE, tmp_path / "crush.db", script(("assistant", 1, [*parts]))) as opened:
        found = opened.tables()
    assert [row["kind"] for row in found["record"]] == ["unknown"]
    assert found["damage"] == []


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ("{}", "bad_shape"),
        ("[3]", "bad_shape"),
        ("[{", "bad_json"),
        ('[{"type":"text","data":{"text":"a"},"spent":NaN}]', "bad_number"),
        ('[{"type":"tool_call","data":{}}]', "bad_shape"),
    ],
)
def test_damage_is_told_by_its_kind(parts: str, kind: str, tmp_path: Path) -> None:
    sql = script(("user", 1, [])) + f"update messages set parts = '{parts}';"
    with desk(STORE, tmp_path / "crush.db", sql) as opened:
        assert [row["kind"] for row in opened.tables()["damage"]] == [kind]


def test_triggers_count_on_while_the_count_is_set(tmp_path: Path) -> None:
    sql = script(("user", 1, [say("go")]), ("assistant", 2, [call("a"), call("b"), END]))
    sql += "update sessions set message_count = 40;"
    triggers = TRIGGERED.read_text("utf-8").split("create trigger")[1:]
    sql += "".join("create trigger" + trigger for trigger in triggers)
    with desk(STORE, tmp_path / "crush.db", sql) as opened:
        assert opened.repair(answer(1, 0, "a"), answer(1, 1, "b")) == ["append", "append"]
        assert (roles(opened), count(opened)) == (["user", "assistant", "tool", "tool"], 4)
        opened.repair(Truncate(0, 1), Note(0, 1, ("bash",)))
        assert (roles(opened), count(opened)) == (["user", "assistant", "user"], 3)


@pytest.mark.parametrize("left", ["insert", "delete", "Insert", None])
def test_the_trigger_that_is_left_counts_its_rows(left: str | None, tmp_path: Path) -> None:
    sql = script(("user", 1, [say("go")]), ("assistant", 2, [call("a"), call("b"), END]))
    if left is not None:
        row, sign = ("old", "-") if left == "delete" else ("new", "+")
        sql += f"create trigger t after {left} on messages begin update sessions set "
        sql += f"message_count = message_count {sign} 1 where id = {row}.session_id; end;"
    with desk(STORE, tmp_path / "crush.db", sql) as opened:
        opened.repair(answer(1, 0, "a"), answer(1, 1, "b"))
        assert (roles(opened), count(opened)) == (["user", "assistant", "tool", "tool"], 4)
        opened.repair(Truncate(0, 1), Note(0, 1, ("bash",)))
        assert (roles(opened), count(opened)) == (["user", "assistant", "user"], 3)


def test_an_answer_stands_before_what_came_later(tmp_path: Path) -> None:
    later = ("user", 3, [say("well?")])
    with desk(
        STORE, tmp_path / "crush.db", script(("assistant", 2, [call("a"), END]), later)
    ) as opened:
        opened.repair(answer(0, 0, "a"))
        assert (roles(opened), count(opened)) == (["assistant", "tool", "user"], 3)


def test_no_row_fits_between_messages_of_one_second(tmp_path: Path) -> None:
    messages = script(("assistant", 2, [call("a"), END]), ("user", 2, [say("well?")]))
    with (
        desk(STORE, tmp_path / "crush.db", messages) as opened,
        pytest.raises(Unsupported, match="same time"),
    ):
        opened.repair(answer(0, 0, "a"))


@pytest.mark.parametrize(
    ("operations", "left"),
    [
        ([DropPart(0, 0, 1)], ["text", "finish"]),
        ([DropPart(0, 0, 0), DropPart(0, 0, 1)], []),
    ],
)
def test_parts_go_and_a_message_without_any(
    operations: list[Operation], left: list[str], tmp_path: Path
) -> None:
    messages = script(("assistant", 2, [say("I do."), call("a"), END]))
    with desk(STORE, tmp_path / "crush.db", messages) as opened:
        opened.repair(*operations)
        rows = opened.rows("select parts from messages")
        assert [part["type"] for (body,) in rows for part in json.loads(body)] == left


def test_samples_are_judged_and_left_alone_by_check(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "crush")
    files = {name: tmp_path / "crush" / name / "crush.db" for name in ("healthy", "interrupted")}
    before = [sha256(path.read_bytes()).digest() for path in files.values()]
    found = {
        name: [i.finding.rule for i in api.check(Scope((str(path),), assume="dead")).findings]
        for name, path in files.items()
    }
    assert found == {"healthy": [], "interrupted": ["partial-parallel", "count-mismatch"]}
    assert [sha256(path.read_bytes()).digest() for path in files.values()] == before


def test_a_repair_and_its_undo_beside_triggers(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    shutil.copy(SAMPLES / "interrupted" / "crush.db", path)
    before = dump(path)
    api.plan(Scope((str(path),), assume="dead"), Wanted(), tmp_path / "plan.json")
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    with closing(sqlite3.connect(path)) as database:
        sql = "select message_count, (select count(*) from messages) from sessions"
        assert database.execute(sql).fetchall() == [(4, 4)]
    assert api.check(Scope((str(path),), assume="dead")).findings == ()
    assert applied.journal is not None
    api.undo(applied.journal, tmp_path / "journal")
    assert dump(path) == before


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())


def test_the_lock_counts_and_not_the_file(tmp_path: Path) -> None:
    path = tmp_path / "crush.lock"
    assert lock_holders(path) == []
    path.write_text(json.dumps({"pid": os.getpid(), "version": "x"}), "utf-8")
    if not Path("/proc/locks").exists():
        pytest.skip("the locks of this system are not listed")
    assert lock_holders(path) == []
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        (writer,) = lock_holders(path)
    assert writer.pid == os.getpid() and "crush.lock" in writer.evidence
