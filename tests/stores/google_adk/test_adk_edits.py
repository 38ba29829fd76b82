"""What repairs do to sessions of Google ADK; the cases show the rows."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from adk_databases import (
    SERVICE,
    START,
    V0,
    V1,
    Event,
    call,
    event,
    filled,
    moment,
    response,
    schema,
    text,
)
from row_desk import Desk, desk, write

from suture import api
from suture.model.answer import MARK
from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    Blank,
    Drop,
    DropPart,
    Move,
    Note,
    Outcome,
    RekeyCall,
    SetCounter,
    Truncate,
)
from suture.model.scope import Scope, Wanted
from suture.stores.google_adk import STORE

GO = event("u1", 1, "user", text("go"))
ASKS = event("m1", 2, "bot", text("so"), call("a"), call("b"), branch="bot.sub")
LATER = event("u2", 3, "user", text("well?"))


def answer(n: int, part: int, name: str) -> Answer:
    return Answer(0, n, part, name, Outcome.UNKNOWN)


def at(folder: Path, *events: Event, kind: str = V1) -> Any:
    return desk(STORE, folder / "adk.db", schema(kind) + filled(events, kind))


def data(opened: Desk, n: int) -> dict[str, Any]:
    """The event that is loaded as number `n`."""
    key = json.loads(opened.tables()["record"][n]["key"])
    ((found,),) = opened.rows(f"select event_data from events where id = '{key['id']}'")
    value: dict[str, Any] = json.loads(found)
    return value


def kinds(opened: Desk) -> list[str]:
    return [row["kind"] for row in opened.tables()["record"]]


@pytest.mark.parametrize("kind", [V1, SERVICE])
def test_one_event_answers_all_open_calls_right_behind_them(kind: str, tmp_path: Path) -> None:
    with at(tmp_path, GO, ASKS, LATER, kind=kind) as opened:
        assert opened.repair(answer(1, 2, "b"), answer(1, 1, "a")) == ["payload", "payload"]
        assert kinds(opened) == ["prompt", "call", "result", "prompt"]
        added = data(opened, 2)
        ((stored,),) = opened.rows("select timestamp from events where id not in ('u1','m1','u2')")
    assert (added["author"], added["branch"], added["invocation_id"]) == ("bot", "bot.sub", "e-1")
    responses = [part["function_response"] for part in added["content"]["parts"]]
    assert [found["id"] for found in responses] == ["a", "b"]
    assert all(found["response"]["result"].startswith(MARK) for found in responses)
    assert added["timestamp"] == pytest.approx(START + 2.000001, abs=1e-7)
    assert repr(stored) == moment(2.000001, kind)


@pytest.mark.parametrize("kind", [V1, SERVICE])
def test_every_repair_fences_off_who_holds_the_session(kind: str, tmp_path: Path) -> None:
    with at(tmp_path, GO, LATER, kind=kind) as opened:
        ((before,),) = opened.rows("select update_time from sessions")
        opened.repair(Drop(0, 1))
        ((after,),) = opened.rows("select update_time from sessions")
    assert after > before


def test_no_place_is_made_where_the_next_event_follows_at_once(tmp_path: Path) -> None:
    at_once = event("u2", 2.000001, "user", text("!"))
    with at(tmp_path, GO, ASKS, at_once) as opened, pytest.raises(Unsupported, match="is free"):
        opened.repair(answer(1, 1, "a"))


def test_an_event_is_moved_in_its_column_and_in_its_json(tmp_path: Path) -> None:
    with at(
        tmp_path, event("r1", 1, "bot", response("a")), event("m1", 2, "bot", call("a"))
    ) as opened:
        opened.repair(Move(0, 0, 1))
        assert kinds(opened) == ["call", "result"]
        assert data(opened, 1)["timestamp"] == pytest.approx(START + 2.000001, abs=1e-7)


def test_parts_go_alone_and_the_last_one_takes_the_event_along(tmp_path: Path) -> None:
    with at(tmp_path, GO, ASKS) as opened:
        opened.repair(DropPart(0, 1, 1))
        assert data(opened, 1)["content"]["parts"] == [text("so"), call("b")]
        opened.repair(DropPart(0, 1, 1))
        opened.repair(DropPart(0, 1, 0))
        assert kinds(opened) == ["prompt"]


def test_a_note_stands_where_the_cut_was(tmp_path: Path) -> None:
    with at(tmp_path, GO, ASKS, LATER) as opened:
        opened.repair(Truncate(0, 0), Note(0, 0, ("ship",)))
        assert kinds(opened) == ["prompt", "prompt"]
        added = data(opened, 1)
    assert added["author"] == "user"
    assert added["content"]["parts"][0]["text"].startswith(MARK)


def test_a_fresh_id_goes_into_the_list_of_long_running_calls_too(tmp_path: Path) -> None:
    waits = event("m1", 2, "bot", call("a"), long_running_tool_ids=["a", "x"])
    with at(tmp_path, GO, waits, event("r1", 3, "bot", response("a"))) as opened:
        opened.repair(RekeyCall(0, 1, 0, "a", 2, 0))
        asked, answered = data(opened, 1), data(opened, 2)
    fresh = asked["content"]["parts"][0]["function_call"]["id"]
    assert fresh.startswith("adk-")
    assert asked["long_running_tool_ids"] == [fresh, "x"]
    assert answered["content"]["parts"][0]["function_response"]["id"] == fresh


def test_the_counter_alone_is_set_to_the_last_event(tmp_path: Path) -> None:
    with at(tmp_path, GO, LATER) as opened:
        write(opened.path, f"update sessions set update_time = {moment(1)};")
        assert opened.repair(SetCounter(0, "sessions.update_time", 0)) == ["envelope"]
        assert opened.rows("select update_time from sessions") == [(moment(3).strip("'"),)]


def test_v0_is_read_only(tmp_path: Path) -> None:
    with at(tmp_path, kind=V0) as opened, pytest.raises(Unsupported, match="pickles"):
        opened.repair(Drop(0, 0))


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    with at(tmp_path, GO) as opened, pytest.raises(Unsupported, match="no bytes of a file"):
        opened.repair(Blank(0, 0))


def test_an_append_after_the_plan_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "adk.db"
    write(path, schema() + filled([GO, ASKS]))
    api.plan(Scope((str(path),), assume="dead"), Wanted(), tmp_path / "plan.json")
    write(path, f"update sessions set update_time = {moment(5)};")
    before = dump(path)
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 4
    assert dump(path) == before


def test_states_of_many_sessions_are_added_once(tmp_path: Path) -> None:
    path = tmp_path / "adk.db"
    script = schema() + filled([GO]) + filled([GO], session="s2") + filled([GO], user="bob")
    write(path, script + "delete from app_states; delete from user_states;")
    before = dump(path)
    api.plan(Scope((str(path),), assume="dead"), Wanted(), tmp_path / "plan.json")
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert applied.exit_code == 0 and applied.journal is not None
    assert dump(path).count('INTO "app_states"') == 1
    assert dump(path).count('INTO "user_states"') == 2
    assert api.check(Scope((str(path),), assume="dead"), tmp_path / "journal").findings == ()
    api.undo(applied.journal, tmp_path / "journal")
    assert dump(path) == before


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())
