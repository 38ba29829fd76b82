"""What is read of the sessions of Google ADK."""

import pickle
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
    compaction,
    event,
    filled,
    response,
    schema,
    text,
)
from row_desk import Tables, desk, write

from suture.model.edit import Value
from suture.stores._discover import read_head
from suture.stores.google_adk import STORE
from suture.stores.google_adk.clock import micros, times

GO = event("u1", 1, "user", text("go"))


def read(
    folder: Path, *events: Event, kind: str = V1, more: str = "", session: str | None = "s1"
) -> Tables:
    script = schema(kind) + filled(events, kind) + more
    with desk(STORE, folder / "adk.db", script, session) as opened:
        return opened.tables(full=True)


@pytest.mark.parametrize(
    ("kind", "more", "variant"),
    [
        (V1, "", "v1"),
        (SERVICE, "", "sqlite-service"),
        (V0, "", "v0"),
        (V1, "update adk_internal_metadata set value = '0';", "v0"),
        (V1, "drop table adk_internal_metadata;", "v1"),
    ],
)
def test_the_service_is_told_from_metadata_and_columns(
    kind: str, more: str, variant: str, tmp_path: Path
) -> None:
    path = tmp_path / "adk.db"
    with desk(STORE, path, schema(kind) + filled([], kind) + more) as opened:
        assert STORE.claims(read_head(str(path)))
        assert opened.tables()["session"][0]["variant"] == variant


def test_other_databases_are_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    write(path, "create table sessions (app_name, user_id, id, state, update_time);")
    assert not STORE.claims(read_head(str(path)))


def test_an_id_that_two_users_have_is_told_with_them(tmp_path: Path) -> None:
    script = schema() + filled([GO]) + filled([GO], user="bob") + filled([GO], session="s2")
    with desk(STORE, tmp_path / "adk.db", script, "shop/bob/s1") as opened:
        assert opened.units() == [None, "shop/ann/s1", "shop/bob/s1", "s2"]
        (record,) = opened.tables()["record"]
    assert '"user_id":"bob"' in record["key"]


def test_kinds_of_events(tmp_path: Path) -> None:
    tables = read(
        tmp_path,
        GO,
        event("m1", 2, "bot", text("hm", thought=True)),
        event("m2", 3, "bot", text("so"), call("a"), call("b")),
        event("r1", 4, "bot", response("a"), response("b")),
        event("m3", 5, "bot", text("done")),
        event("x1", 6, "bot", actions={"state_delta": {"k": 1}}),
        compaction("c1", 7, 1, 5),
    )
    kinds = ["prompt", "reasoning", "call", "result", "reply", "event", "summary"]
    assert [row["kind"] for row in tables["record"]] == kinds
    assert [(c["call_id"], c["part"], c["batch"]) for c in tables["call"]] == [
        ("a", 1, "m2"),
        ("b", 2, "m2"),
    ]
    assert [(r["call_id"], r["part"]) for r in tables["result"]] == [("a", 0), ("b", 1)]
    assert tables["compaction"][0]["talk_before"] == 5
    assert [(t["id"], t["status"]) for t in tables["turn"]] == [("e-1", "open")]


@pytest.mark.parametrize(("kind", "order"), [(V1, ["a", "z"]), (SERVICE, ["z", "a"])])
def test_events_of_one_moment_are_in_the_order_of_the_service(
    kind: str, order: list[str], tmp_path: Path
) -> None:
    events = (event("z", 2, "bot", call("c")), event("a", 2, "bot", response("c")))
    tables = read(tmp_path, *events, kind=kind)
    assert [row["id"] for row in tables["record"]] == order


def test_a_number_among_texts_is_loaded_first(tmp_path: Path) -> None:
    more = f"update events set timestamp = {START + 9}.5 where id = 'm1';"
    tables = read(tmp_path, GO, event("m1", 9, "bot", text("hi")), more=more)
    assert [row["id"] for row in tables["record"]] == ["m1", "u1"]
    (damage,) = tables["damage"]
    assert (damage["field"], damage["fill"]) == ("timestamp", "2026-03-02 09:14:09.500000")


@pytest.mark.parametrize(
    "odd",
    [
        "0000-01-01 00:00:00",  # a year that Arrow has
        "2026-03-02T09:14:09.123456789",
        "2026-03-02 09:14:09+02:00",
        " 2026-03-02 09:14",
        "2026-03-02",
        "",
        1772442849.5,
        b"2026-03-02 09:14:09",
        None,
    ],
)
def test_a_column_of_times_is_what_each_of_them_is(odd: Value) -> None:
    stored = ["2026-03-02 09:14:00.000001", odd]
    assert times(stored) == [micros(value) for value in stored]


def test_a_long_running_call_may_stay_open(tmp_path: Path) -> None:
    waits = event("m1", 2, "bot", call("a"), call("b"), long_running_tool_ids=["a"])
    found = read(tmp_path, GO, waits)["call"]
    assert [row["legal_open"] for row in found] == ["it is declared long-running", None]


@pytest.mark.parametrize("name", ["requested_tool_confirmations", "requested_auth_configs"])
def test_a_parked_approval_has_its_second_result_by_design(name: str, tmp_path: Path) -> None:
    parked = event("r1", 3, "bot", response("a"), actions={name: {"a": {"hint": "sure?"}}})
    asks = event("m2", 4, "bot", call("ask"), long_running_tool_ids=["ask"])
    tables = read(
        tmp_path,
        GO,
        event("m1", 2, "bot", call("a")),
        parked,
        asks,
        event("r2", 5, "bot", response("a")),
    )
    assert [(row["call_id"], row["n"]) for row in tables["result"]] == [("a", 2)]
    assert [row["legal_open"] for row in tables["call"]] == [None, "it is declared long-running"]


def test_what_a_rewind_took_back_is_not_sent(tmp_path: Path) -> None:
    back = {"rewind_before_invocation_id": "e-2"}
    tables = read(
        tmp_path,
        GO,
        event("m1", 2, "bot", text("yes"), call("a"), invocation="e-2"),
        event("x1", 3, "user", invocation="e-3", actions=back),
        event("u2", 4, "user", text("anew"), invocation="e-4"),
    )
    assert [row["sent"] for row in tables["record"]] == [True, False, False, True]
    assert tables["call"][0]["legal_open"] == "a later rewind took it back"


@pytest.mark.parametrize(
    ("start", "end", "detail"),
    [
        (5, 1, "actions.compaction ends before it starts"),
        (50, 60, "actions.compaction stands for no event of the session"),
    ],
)
def test_a_compaction_of_nothing(start: int, end: int, detail: str, tmp_path: Path) -> None:
    (damage,) = read(tmp_path, GO, compaction("c1", 70, start, end))["damage"]
    assert (damage["kind"], damage["detail"]) == ("bad_shape", detail)


@pytest.mark.parametrize(
    ("data", "kind", "fixable"),
    [
        ("null", "bad_shape", False),
        ("'{\"content\": {'", "bad_json", True),
        ("'[]'", "bad_shape", False),
        ("x'22ff22'", "invalid_utf8", False),
        ('\'{"author":"a","n":Infinity}\'', "bad_number", False),
        ('\'{"author":"a","content":"x"}\'', "bad_shape", False),
    ],
)
def test_an_event_that_cannot_be_read(data: str, kind: str, fixable: bool, tmp_path: Path) -> None:
    more = f"update events set event_data = {data} where id = 'u1';"
    (damage,) = read(tmp_path, GO, more=more)["damage"]
    assert (damage["kind"], damage["fixable"], damage["n"]) == (kind, fixable, 0)


def test_a_head_that_lags_is_told_and_one_that_is_ahead_is_not(tmp_path: Path) -> None:
    tables = read(tmp_path, GO, more=f"update sessions set update_time = {moment_text(0)};")
    (count,) = tables["state_kv"]
    assert count["key"] == "sessions.update_time"
    assert count["value"] == "2026-03-02T09:14:00.000000 2026-03-02T09:14:01.000000"
    (tmp_path / "b").mkdir()
    ahead = read(tmp_path / "b", GO, more=f"update sessions set update_time = {moment_text(9)};")
    assert ahead["state_kv"] == []


def moment_text(second: int) -> str:
    return f"'2026-03-02 09:14:{second:02d}.000000'"


@pytest.mark.parametrize(("kind", "missing"), [(V1, 2), (V0, 2), (SERVICE, 0)])
def test_state_rows_without_which_nothing_is_appended(
    kind: str, missing: int, tmp_path: Path
) -> None:
    more = "delete from app_states; delete from user_states;"
    tables = read(tmp_path, kind=kind, more=more, session=None)
    assert [row["kind"] for row in tables["damage"]] == ["state_row"] * missing
    assert [row["fixable"] for row in tables["damage"]] == [kind == V1] * missing


class Trap:
    """What loading its pickle would do is seen on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def old_event(pickled: bytes, content: str = '{"role":"model","parts":[]}') -> str:
    return (
        "insert into events (id, app_name, user_id, session_id, invocation_id, timestamp, author, "
        "actions, long_running_tool_ids_json, content) values ('m1', 'shop', 'ann', 's1', 'e-1', "
        f"{moment_text(2)}, 'bot', x'{pickled.hex()}', '[\"b\"]', '{content}');"
    )


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    parts = '{"role":"model","parts":[{"function_call":{"id":"a"}},{"function_call":{"id":"b"}}]}'
    more = old_event(pickle.dumps(Trap(trap)), parts)
    tables = read(tmp_path, kind=V0, more=more)
    assert not trap.exists()
    assert tables["damage"] == []
    assert [(c["call_id"], c["legal_open"]) for c in tables["call"]] == [
        ("a", None),
        ("b", "it is declared long-running"),
    ]
    pickle.loads(pickle.dumps(Trap(trap)))
    assert trap.exists(), "the trap works"


def test_a_cut_pickle_is_told(tmp_path: Path) -> None:
    (damage,) = read(tmp_path, kind=V0, more=old_event(pickle.dumps({"a": 1})[:-3]))["damage"]
    assert damage["detail"] == "actions is no whole pickle"
