"""What the tables say of an event log."""

import json
from pathlib import Path
from typing import Any

import pytest
from event_examples import valid
from event_logs import (
    SESSION,
    Desk,
    at,
    created,
    finished,
    hashes_hold,
    log,
    message,
    on_call,
    proposed,
)

from suture.stores._store import Head
from suture.stores.eventlog import STORE

ARTIFACT = {"uri": "out/call-1.txt", "sha256": "0" * 64, "bytes": 4, "summary": "12 passed"}


def call_of(tmp_path: Path, *typed: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    (call,) = Desk(tmp_path, log(created(), *typed)).tables()["call"]
    return call


@pytest.mark.parametrize(
    ("typed", "state", "outcome"),
    [
        ([proposed("c")], "proposed", "never_started"),
        ([proposed("c", approval="required")], "awaiting", "never_started"),
        ([proposed("c"), on_call("denied", "c")], "denied", "never_started"),
        ([proposed("c"), on_call("approved", "c")], "proposed", "unknown"),
        ([proposed("c"), on_call("started", "c")], "running", "unknown"),
        ([proposed("c"), on_call("started", "c"), finished("c")], "completed", "recorded"),
        ([proposed("c"), on_call("started", "c"), finished("c", "error")], "failed", "recorded"),
    ],
)
def test_events_take_a_call_through_its_states(
    tmp_path: Path, typed: list[tuple[str, dict[str, Any]]], state: str, outcome: str
) -> None:
    call = call_of(tmp_path, *typed)
    assert (call["state"], call["outcome"]) == (state, outcome)


@pytest.mark.parametrize(
    "artifact",
    [
        {**ARTIFACT, "call_id": "call-1"},
        ARTIFACT,  # the path names the call
        {**ARTIFACT, "uri": "out.txt", "summary": "output of call-1"},
    ],
)
def test_an_artifact_proves_that_a_started_call_ended(
    tmp_path: Path, artifact: dict[str, Any]
) -> None:
    stored = ("artifact.stored", artifact)
    call = call_of(tmp_path, proposed("call-1"), on_call("started", "call-1"), stored)
    assert (call["outcome"], call["evidence"]) == ("recorded", "record 3")


@pytest.mark.parametrize("artifact", [{**ARTIFACT, "call_id": "call-2"}, {**ARTIFACT, "uri": "x"}])
def test_an_artifact_of_something_else_proves_nothing(
    tmp_path: Path, artifact: dict[str, Any]
) -> None:
    stored = ("artifact.stored", artifact)
    call = call_of(tmp_path, proposed("call-1"), on_call("started", "call-1"), stored)
    assert (call["outcome"], call["evidence"]) == ("unknown", None)


def test_an_artifact_that_is_not_the_output_of_a_started_call_proves_nothing(
    tmp_path: Path,
) -> None:
    stored = ("artifact.stored", {**ARTIFACT, "call_id": "call-1"})
    assert call_of(tmp_path, proposed("call-1"), stored)["outcome"] == "never_started"


def test_an_approval_may_stay_open_only_while_its_turn_does(tmp_path: Path) -> None:
    turn = ("turn.started", {"turn_id": "t"})
    waiting = proposed("c", approval="required")
    assert call_of(tmp_path, turn, waiting)["legal_open"] == "its approval is pending"
    ended = ("turn.ended", {"turn_id": "t", "status": "aborted"})
    assert call_of(tmp_path, turn, waiting, ended)["legal_open"] is None


def test_a_denial_is_the_result_of_its_call(tmp_path: Path) -> None:
    tables = Desk(tmp_path, log(created(), proposed("c"), on_call("denied", "c"))).tables()
    assert [(r["n"], r["status"]) for r in tables["result"]] == [(2, "error")]


def test_turns_and_steps_count_their_ends(tmp_path: Path) -> None:
    data = log(
        created(),
        ("turn.started", {"turn_id": "t1"}),
        ("step.started", {"step_id": "s1", "turn_id": "t1"}),
        message(1, "assistant"),
        ("step.completed", {"step_id": "s1", "usage": {"output_tokens": 7}}),
        ("step.completed", {"step_id": "s1", "finish_reason": "stop"}),
        ("turn.ended", {"turn_id": "t1", "status": "complete"}),
        ("turn.started", {"turn_id": "t2"}),
        ("session.interrupted", {"generation": 3, "historical": False, "turn_id": "t2"}),
    )
    tables = Desk(tmp_path, data).tables()
    told = [(t["id"], t["status"], t["ends"], t["generation"]) for t in tables["turn"]]
    assert told == [("t1", "complete", 1, None), ("t2", "open", 0, 3)]
    (step,) = tables["step"]
    assert (step["starts"], step["ends"], step["output_tokens"], step["status"]) == (
        1,
        2,
        7,
        "stop",
    )
    assert tables["session"][0]["generation"] == 3


def test_the_newest_window_is_current_and_goes_on_with_what_follows(tmp_path: Path) -> None:
    entries = [
        {"kind": "summary", "original_ordinals": [1, 2], "content": "they spoke"},
        {"kind": "original", "original_ordinals": [3, 4]},
    ]
    old = {"kind": "summary", "original_ordinals": [1], "content": "hello"}
    data = log(
        created(),
        message(1),
        message(2, "assistant"),
        proposed("c"),
        finished("c"),
        ("context.compacted", {"version": 1, "entries": [old]}),
        ("context.compacted", {"version": 2, "entries": entries}),
        message(3),
    )
    tables = Desk(tmp_path, data).tables()
    current = [e for e in tables["context_entry"] if e["current"]]
    assert [e["original_seqs"] for e in current] == [[1, 2], [3], [4], [7]]
    assert [e["n"] for e in current] == [None, 3, 4, 7]
    assert [(e["call_ids"], e["result_id"]) for e in current[1:3]] == [(["c"], None), ([], "c")]
    assert [r["n"] for r in tables["record"] if r["sent"]] == [3, 4, 6, 7]
    assert [c["version"] for c in tables["compaction"]] == [1, 2]
    assert tables["session"][0]["context_version"] == 2


def test_a_second_header_starts_another_session(tmp_path: Path) -> None:
    data = log(created("a"), message(1)) + log(created("b"), message(2))
    tables = Desk(tmp_path, data).tables()
    assert [s["id"] for s in tables["session"]] == ["a", "b"]
    assert [(r["session"], r["n"]) for r in tables["record"]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert hashes_hold(tables["record"][2:])


def test_a_session_without_header_is_named_after_its_file(tmp_path: Path) -> None:
    (session,) = Desk(tmp_path, log(message(1))).tables()["session"]
    assert (session["id"], session["header_id"], session["meta_required"]) == ("log", None, True)


def test_input_that_nobody_consumed_is_told(tmp_path: Path) -> None:
    queued = [("input.queued", {"input_id": f"in-{n}", "content": "x"}) for n in (1, 2)]
    data = log(created(), *queued, ("input.consumed", {"input_id": "in-1"}))
    state = Desk(tmp_path, data).tables()["state_kv"]
    assert [(s["scope"], s["key"]) for s in state] == [("queue", "in-2")]


def test_lineage_and_settings_are_of_the_session(tmp_path: Path) -> None:
    header = created(lineage={"parent": "p", "fork_ordinal": 5}, principal="user:ada")
    settings = ("session.configured", {"model": "m", "cwd": "/srv", "version": "2.0"})
    data = log(header, settings, ("session.closed", {}))
    (session,) = Desk(tmp_path, data).tables()["session"]
    told = [session[k] for k in ("id", "fork_of", "fork_ordinal", "model", "cwd", "version")]
    assert told == [SESSION, "p", 5, "m", "/srv", "2.0"]
    assert session["status"] == "closed"


@pytest.mark.parametrize(
    ("second", "kind", "earlier"),
    [
        ({}, "identical", 1),
        ({"ordinal": 9}, "event", 1),
        ({"id": "other", "ordinal": 9}, "event", 1),
        ({"id": "other", "ordinal": 9, "ts": at(50)}, "retry", 1),
    ],
)
def test_an_event_that_stands_again_is_told_by_how_it_differs(
    tmp_path: Path, second: dict[str, Any], kind: str, earlier: int
) -> None:
    data = log(created(), message(1))
    again = {**json.loads(data.splitlines()[1]), **second}
    text = json.dumps(again, separators=(",", ":"), ensure_ascii=False).encode()
    record = Desk(tmp_path, data + text + b"\n").tables()["record"][2]
    assert (record["copy_kind"], record["copy_of"], record["same_id"]) == (kind, earlier, None)


def test_one_id_with_two_payloads_is_no_copy(tmp_path: Path) -> None:
    data = log(created(), message(1), message(2))
    first, _, last = data.splitlines()
    other = json.loads(last) | {"id": json.loads(data.splitlines()[1])["id"]}
    desk = Desk(tmp_path, first + b"\n" + data.splitlines()[1] + b"\n" + json.dumps(other).encode())
    record = desk.tables()["record"][2]
    assert (record["same_id"], record["copy_kind"]) == (1, None)


def test_an_artifact_below_the_log_is_hashed_and_others_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_bytes(b"hello")
    uris = ("out.txt", "gone.txt", "../up.txt", "/etc/passwd", "https://example.com/x")
    stored = [("artifact.stored", {**ARTIFACT, "uri": uri}) for uri in uris]
    rows = Desk(tmp_path, log(created(), *stored)).tables()["artifact"]
    assert [r["present"] for r in rows] == [True, False, None, None, None]
    assert rows[0]["computed"].startswith("2cf24dba")


def test_wrong_types_cost_their_field_and_no_more(tmp_path: Path) -> None:
    data = log(created(), proposed("c"), finished("c")).replace(b'"status":"ok"', b'"status":[1]')
    tables = Desk(tmp_path, data).tables()
    assert [(d["kind"], d["n"], d["field"]) for d in tables["damage"]] == [
        ("bad_shape", 2, "payload.status")
    ]
    assert tables["record"][2]["problem"] == "shape"
    assert [r["call_id"] for r in tables["result"]] == ["c"]


def test_no_wrong_type_in_any_field_stops_the_reading(tmp_path: Path) -> None:
    wrong: list[Any] = [None, 1, -1, 1.5, True, "", "x", [], [1], {}, {"a": None}, 2**70]
    frame = json.loads(log(created()).splitlines()[0])
    lines = []
    for kind, payload in valid():
        lines.append({**frame, "type": kind, "payload": payload})
        lines += [lines[-1] | {"payload": {**payload, k: w}} for k in payload for w in wrong]
    lines += [{**frame, key: value} for key in frame for value in wrong]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    desk = Desk(tmp_path, data)
    for full in (False, True):
        assert len(desk.tables(full)["record"]) == len(lines)


def test_unknown_types_and_keys_are_data(tmp_path: Path) -> None:
    data = log(created(colour="blue"), ("robot.danced", {"steps": 3}), message(1))
    tables = Desk(tmp_path, data).tables()
    assert [r["kind"] for r in tables["record"]] == ["header", "unknown", "prompt"]
    assert tables["damage"] == []
    assert hashes_hold(tables["record"])


def test_texts_and_native_bytes_come_in_the_full_pass_only(tmp_path: Path) -> None:
    blocks = [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "ja"}]
    desk = Desk(tmp_path, log(created(), message(1, "assistant", blocks), proposed("c")))
    assert [p["type"] for p in desk.tables()["part"]] == ["call"]
    told = [(p["type"], p["text"]) for p in desk.tables(full=True)["part"]]
    assert told == [("reasoning", "hm"), ("text", "ja"), ("call", '{"n":1}')]


def test_an_event_log_is_known_by_content(tmp_path: Path) -> None:
    data = log(created(), message(1))
    assert STORE.claims(Head("x", data))
    assert STORE.claims(Head("x", data[:-40]))
    assert STORE.claims(Head("x", b"garbage\n" + data))
    assert not STORE.claims(Head("x", b'{"type":"user","uuid":"1","message":{}}\n'))
    assert not STORE.claims(Head("x", b""))


def test_a_missing_file_is_damage(tmp_path: Path) -> None:
    desk = Desk(tmp_path, b"")
    desk.path.unlink()
    assert [d["kind"] for d in desk.tables()["damage"]] == ["unreadable"]
