"""What repairs do to an event log."""

import json
from pathlib import Path
from typing import Any

import pytest
from event_logs import (
    Desk,
    Tables,
    at,
    created,
    events,
    finished,
    hashes_hold,
    log,
    message,
    on_call,
    proposed,
)

from suture.db.pairing import pairs
from suture.model.answer import MARK
from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    Blank,
    DropPart,
    Move,
    NewWindow,
    Note,
    Outcome,
    Rebuild,
    Restore,
    SetState,
    Truncate,
)
from suture.stores.eventlog.clock import a_moment_later
from suture.stores.eventlog.hashing import NoCanonicalForm
from suture.stores.eventlog.writer import NewEvent, Tail, append_lines

OPEN_TURN = (
    created(),
    ("turn.started", {"turn_id": "t"}),
    message(1),
    proposed("c1"),
    proposed("c2"),
    on_call("started", "c1"),
    ("step.completed", {"step_id": "s"}),
)


def states(tables: Tables) -> dict[str, str]:
    keys = ("session", "lane", "pos", "n", "part", "call_id", "server")
    calls, results = (
        [tuple(row[key] for key in keys) for row in tables[table]] for table in ("call", "result")
    )
    return {pair.call_id: pair.state for pair in pairs(calls, results)}


def last(desk: Desk, count: int = 1) -> list[dict[str, Any]]:
    return [json.loads(line) for line in desk.data.splitlines()[-count:]]


def test_answers_go_to_the_end_in_one_append_and_the_chain_goes_on(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN))
    before = desk.data
    classes = desk.repair(
        SetState(0, "turn t", "aborted"),
        SetState(0, "interruption 1", "historical"),
        Answer(0, 3, 0, "c1", Outcome.UNKNOWN),
        Answer(0, 4, 0, "c2", Outcome.NEVER_STARTED),
    )
    assert classes == ["append"] * 4
    assert desk.data.startswith(before)
    tables = desk.tables()
    assert hashes_hold(tables["record"])
    assert [r["ordinal"] for r in tables["record"]] == list(range(11))
    assert states(tables) == {"c1": "paired", "c2": "paired"}
    assert [(r["marked"], r["status"]) for r in tables["result"]] == [(True, None)] * 2
    told = [(e["type"], e["payload"].get("status")) for e in last(desk, 4)]
    assert told == [
        ("tool.finished", "unknown"),
        ("tool.finished", "not_run"),
        ("session.interrupted", None),
        ("turn.ended", "aborted"),
    ]
    (turn,) = tables["turn"]
    assert (turn["status"], turn["generation"], turn["ends"]) == ("aborted", 1, 1)


def test_an_added_event_is_a_millisecond_after_the_last(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN))
    desk.repair(Answer(0, 3, 0, "c1", Outcome.UNKNOWN))
    assert last(desk)[0]["ts"] == at(6).replace(".000Z", ".001Z")
    assert last(desk)[0]["payload"]["result"].startswith(MARK)


def test_the_same_repair_has_the_same_bytes(tmp_path: Path) -> None:
    made = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        desk = Desk(tmp_path / name, log(*OPEN_TURN))
        desk.repair(Answer(0, 3, 0, "c1", Outcome.UNKNOWN))
        made.add(desk.data)
    assert len(made) == 1


def test_a_last_line_without_line_end_gets_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN).rstrip(b"\n"))
    desk.repair(Answer(0, 3, 0, "c1", Outcome.UNKNOWN))
    assert len(desk.tables()["record"]) == 8
    assert hashes_hold(desk.tables()["record"])


def test_a_log_without_chain_stays_without(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN, chained=False))
    desk.repair(Answer(0, 3, 0, "c1", Outcome.UNKNOWN))
    assert "chain" not in last(desk)[0]


def test_an_earlier_session_of_the_file_is_answered_at_its_own_end(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN) + log(created("b"), message(1)))
    desk.repair(Answer(0, 3, 0, "c1", Outcome.UNKNOWN))
    records = desk.tables()["record"]
    assert [r["session"] for r in records] == [0] * 8 + [1] * 2
    assert hashes_hold(records[:8])


def test_a_proven_outcome_is_restored_with_its_record(tmp_path: Path) -> None:
    stored = {"uri": "o.txt", "sha256": "0" * 64, "bytes": 4, "summary": "ok", "call_id": "c1"}
    desk = Desk(tmp_path, log(*OPEN_TURN, ("artifact.stored", stored)))
    (call, _) = desk.tables()["call"]
    desk.repair(Restore(0, 3, 0, "c1", call["evidence"]))
    payload = last(desk)[0]["payload"]
    assert payload["status"] == "restored"
    assert payload["artifact"] == "o.txt"
    assert "record 7 (artifact.stored, ordinal 7)" in payload["result"]
    with pytest.raises(Unsupported, match="no artifact"):
        desk.repair(Restore(0, 3, 0, "c1", "record 1"))


def test_drop_leaves_the_log_alone_and_the_call_out_of_the_window(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN))
    classes = desk.repair(DropPart(0, 3, 0), DropPart(0, 4, 0), Note(0, 4, ("deploy", "deploy")))
    assert classes[0] == "payload"
    (event,) = last(desk)
    assert event["type"] == "context.compacted"
    note = event["payload"]["entries"][-1]
    assert note["original_ordinals"] == [3, 4]
    assert note["content"].startswith(MARK)
    assert "deploy, deploy" in note["content"]
    tables = desk.tables()
    assert [c["legal_open"] for c in tables["call"]] == [
        "left out of the window by the note at ordinal 7"
    ] * 2
    assert [e["original_seqs"] for e in tables["context_entry"]] == [[2], [3, 4]]
    assert hashes_hold(tables["record"])


def test_truncate_cuts_the_tail_and_says_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(*OPEN_TURN))
    assert desk.repair(Truncate(0, 2), Note(0, 2, ("deploy",))) == ["cut", "append"]
    tables = desk.tables()
    assert [r["type"] for r in tables["record"]][-2:] == ["message.appended"] * 2
    assert [r["ordinal"] for r in tables["record"]] == [0, 1, 2, 3]
    assert hashes_hold(tables["record"])
    assert last(desk)[0]["payload"]["content"].startswith(MARK)


def test_a_lost_header_is_made_again_from_the_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path, b"".join(log(*OPEN_TURN).splitlines(keepends=True)[1:]))
    desk.repair(Rebuild(0, "header"))
    tables = desk.tables()
    assert tables["session"][0]["header_id"] == "log"
    assert [r["ordinal"] for r in tables["record"]][:2] == [0, 1]
    with pytest.raises(Unsupported):
        desk.repair(Rebuild(0, "header"))


def test_a_window_that_names_an_event_twice_is_listed_anew(tmp_path: Path) -> None:
    entries = [
        {"kind": "summary", "original_ordinals": [1, 2], "content": "hello"},
        {"kind": "original", "original_ordinals": [2, 3]},
    ]
    compaction = ("context.compacted", {"version": 4, "entries": entries})
    desk = Desk(tmp_path, log(created(), message(1), message(2), message(3), compaction))
    desk.repair(NewWindow(0))
    payload = last(desk)[0]["payload"]
    assert payload["version"] == 5
    assert payload["entries"] == [entries[0], {**entries[1], "original_ordinals": [3]}]


def test_a_stored_result_comes_back_into_the_window_beside_its_call(tmp_path: Path) -> None:
    entries = [{"kind": "original", "original_ordinals": [1]}]
    compaction = ("context.compacted", {"version": 1, "entries": entries})
    desk = Desk(tmp_path, log(created(), proposed("c"), finished("c"), compaction))
    desk.repair(Answer(0, 1, 0, "c", Outcome.UNKNOWN))
    event = last(desk)[0]
    assert event["type"] == "context.compacted"
    assert event["payload"]["entries"] == [{"kind": "original", "original_ordinals": [1, 2]}]


@pytest.mark.parametrize(
    "operation",
    [Move(0, 3, 1), Blank(0, 1), SetState(0, "leaf", "x"), SetState(0, "turn t", "odd")],
)
def test_what_an_event_log_cannot_do_is_said(tmp_path: Path, operation: Any) -> None:
    with pytest.raises(Unsupported):
        Desk(tmp_path, log(*OPEN_TURN)).repair(operation)


@pytest.mark.parametrize(
    "content", [2**53, -(2**53), 2.0**53, float("nan"), float("inf"), "\ud800", {1: "a"}]
)
def test_the_writer_refuses_a_payload_without_canonical_form(content: Any) -> None:
    event = NewEvent("robot.danced", {"a": content}, at(0))
    with pytest.raises(NoCanonicalForm):
        append_lines([event], Tail("s"))


def test_the_writer_goes_on_where_a_log_ends() -> None:
    typed = events(created(), message(1), message(2))
    whole = append_lines(typed, Tail("s"))
    head = append_lines(typed[:2], Tail("s"))
    end = json.loads(head.splitlines()[-1])
    assert head + append_lines(typed[2:], Tail("s", end["ordinal"], end["chain"])) == whole


@pytest.mark.parametrize(
    ("stored", "later"),
    [
        ("2026-12-31T23:59:60Z", "2027-01-01T00:00:00.001Z"),
        ("2026-12-31T23:59:60.5Z", "2027-01-01T00:00:00.501Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_that_no_calendar_holds_stops_no_repair(stored: str, later: str) -> None:
    assert a_moment_later(stored) == later


def test_each_turn_that_was_cut_off_is_named_by_its_own_interruption(tmp_path: Path) -> None:
    started = [("turn.started", {"turn_id": name}) for name in ("t1", "t 2")]
    desk = Desk(tmp_path, log(created(), started[0], message(1), started[1], message(2)))
    desk.repair(
        SetState(0, "interruption 1 t1", "historical"),
        SetState(0, "turn t1", "aborted"),
        SetState(0, "interruption 2 t 2", "historical"),
        SetState(0, "turn t 2", "aborted"),
    )
    added = [json.loads(line) for line in desk.data.splitlines()[5:]]
    told = [(e["payload"].get("generation"), e["payload"]["turn_id"]) for e in added]
    assert told == [(1, "t1"), (2, "t 2"), (None, "t1"), (None, "t 2")]
