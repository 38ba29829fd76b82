"""What repairs do to a laxcode database."""

import json
from pathlib import Path
from typing import Any

import pytest
from lax_databases import Desk, answer, ask, say, time

from suture.model.answer import MARK
from suture.model.edit import RowEdit
from suture.model.errors import StaleStore, Unsupported
from suture.model.operation import (
    Answer,
    Cut,
    Drop,
    DropPart,
    NewWindow,
    Note,
    Operation,
    Outcome,
    Quarantine,
    Rebuild,
    RekeyCall,
    Restore,
    SetCounter,
    SetState,
    Truncate,
)
from suture.model.place import Row, Span
from suture.repair.rows import execute
from suture.stores.laxcode import STORE

START = (say("system", "you are"), say("user", "go"))
TAIL = (*START, ask("a", "b"))
MIDDLE = (*START, ask("a", "b"), answer("b"), say("user", "and now?"), say("assistant", "hm"))


def unknown(n: int, part: int, call_id: str) -> Answer:
    return Answer(0, n, part, call_id, Outcome.UNKNOWN)


def edits(desk: Desk, *operations: Operation) -> list[RowEdit]:
    made = [e for t in STORE.edits(desk.unit, desk.files, operations) for e in t.edits]
    assert all(isinstance(edit, RowEdit) for edit in made)
    return [edit for edit in made if isinstance(edit, RowEdit)]


def raw(desk: Desk) -> list[tuple[Any, ...]]:
    sql = "select seq, role, substr(content, 1, 8), tool_call_id from raw_message order by seq"
    return desk.rows(sql)


def test_answers_at_the_tail_go_to_the_end_of_all_three_tables(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    assert desk.repair(unknown(2, 0, "a"), unknown(2, 1, "b")) == ["append", "append"]
    assert raw(desk)[3:] == [(4, "tool", MARK, "a"), (5, "tool", MARK, "b")]
    assert desk.window()[3:] == [(4, "[4]", "tool", MARK), (5, "[5]", "tool", MARK)]
    assert desk.head() == (6, 0, time(3))


def test_an_added_row_is_a_millisecond_after_the_last(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    desk.repair(unknown(2, 0, "a"), unknown(2, 1, "b"))
    stamps = [row[0] for row in desk.rows("select created_at from raw_message where seq > 2")]
    assert stamps == [time(3), time(3)[:-1] + ".001Z", time(3)[:-1] + ".002Z"]


def test_the_sessions_row_is_guarded_by_both_versions(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    head = edits(desk, unknown(2, 0, "a"))[0]
    assert head.table == "session"
    assert head.before is not None
    assert (head.before["next_msg_seq"], head.before["context_compassion_version"]) == (4, 0)
    desk.run("update session set context_compassion_version = 1")
    with desk.write() as database, pytest.raises(StaleStore):
        execute(database, [head])


def test_a_counter_that_lags_does_not_make_a_row_collide(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    desk.run("update session set next_msg_seq = 2")
    desk.repair(SetCounter(0, "counter", 4), unknown(2, 0, "a"))
    assert raw(desk)[3][0] == 4
    assert desk.head()[0] == 5


def test_an_answer_in_mid_history_makes_one_new_window(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *MIDDLE)
    before = desk.rows("select * from context_window_message")
    assert desk.repair(unknown(2, 0, "a")) == ["payload"]
    assert raw(desk)[6] == (7, "tool", MARK, "a")
    assert desk.window() == [
        (1, "[1]", "system", "you are"),
        (2, "[2]", "user", "go"),
        (3, "[3]", "assistant", ""),
        (4, "[4]", "tool", "done"),
        (5, "[7]", "tool", MARK),
        (6, "[5]", "user", "and now?"),
        (7, "[6]", "assistant", "hm"),
    ]
    assert desk.head() == (8, 1, time(6))
    assert desk.rows("select * from context_window_message where compassion_version = 0") == before


def test_all_answers_of_a_round_share_one_version(tmp_path: Path) -> None:
    more = (*START, ask("a"), say("user", "x"), ask("b"), say("user", "y"), ask("c"))
    desk = Desk(tmp_path, *more)
    classes = desk.repair(unknown(2, 0, "a"), unknown(4, 0, "b"), unknown(6, 0, "c"))
    assert classes == ["payload"] * 3
    assert [row[1] for row in desk.window()] == [
        "[1]", "[2]", "[3]", "[8]", "[4]", "[5]", "[9]", "[6]", "[7]", "[10]",
    ]  # fmt: skip
    assert desk.head()[:2] == (11, 1)


def test_rows_that_are_listed_again_keep_their_bytes_and_times(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *MIDDLE)
    desk.run("update context_window_message set tool_calls = ' ' || tool_calls where seq = 3")
    same = "select role, content, tool_calls, tool_call_id, created_at from context_window_message "
    before = desk.rows(same + "where compassion_version = 0 order by seq")
    desk.repair(unknown(2, 0, "a"))
    after = desk.rows(same + "where compassion_version = 1 order by seq")
    assert [row for row in after if not row[1].startswith(MARK)] == before


def test_two_sessions_of_one_database_can_be_repaired_by_one_plan(tmp_path: Path) -> None:
    one, two = Desk(tmp_path, *TAIL), Desk(tmp_path, *TAIL, session="s2")
    made = [edits(desk, unknown(2, 0, "a")) for desk in (one, two)]
    one.files.add([(edit, number) for number, both in enumerate(made) for edit in both])
    counted = "select session_id, count(*) from context_window_message group by session_id"
    assert one.rows(counted) == [("s1", 4), ("s2", 4)]


def test_a_call_that_a_summary_hides_is_answered_in_the_history_and_covered_by_it(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, *MIDDLE)
    desk.compact(1, ([1], "", "="), ([2, 3, 4, 5], "user", "they spoke"), ([6], "", "="))
    desk.repair(unknown(2, 0, "a"))
    assert [row[1] for row in desk.window()] == ["[1]", "[2,3,4,5,7]", "[6]"]
    assert desk.head()[:2] == (8, 2)


def test_a_stored_result_that_the_window_lacks_beats_a_placeholder(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *START, ask("a"), answer("a", "real"), say("user", "next"))
    desk.compact(1, *[([seq], "", "=") for seq in (1, 2, 3, 5)])
    desk.repair(unknown(2, 0, "a"))
    assert [row[1:] for row in desk.window()][2:4] == [
        ("[3]", "assistant", ""),
        ("[4]", "tool", "real"),
    ]
    assert len(raw(desk)) == 5


def test_drop_keeps_the_history_and_leaves_a_note_that_stands_for_the_call(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    drops = (DropPart(0, 2, 0), DropPart(0, 2, 1), Note(0, 2, ("shell", "shell")))
    assert desk.repair(*drops) == ["payload"] * 3
    assert [row[1:3] for row in raw(desk)] == [
        ("system", "you are"),
        ("user", "go"),
        ("assistant", ""),
        ("user", MARK),
    ]
    assert desk.window()[2:] == [(3, "[3,4]", "user", MARK)]
    main = [c["legal_open"] for c in desk.tables()["call"] if c["lane"] == "main"]
    assert main == ["left out of the window by the note at 4"] * 2


def test_what_else_a_message_says_stays_when_its_call_is_dropped(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *START, ask("a", "b", content="I will build."))
    desk.repair(DropPart(0, 2, 1), Note(0, 2, ("shell",)))
    assert [row[1:] for row in desk.window()][2:] == [
        ("[3]", "assistant", "I will b"),
        ("[4]", "user", MARK),
    ]
    (calls,) = desk.rows(
        "select tool_calls from context_window_message where compassion_version = 1 and seq = 3"
    )
    assert [call["id"] for call in json.loads(calls[0])] == ["b"]


def test_truncate_cuts_the_window_and_not_the_history(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    desk.repair(Truncate(0, 1), Note(0, 1, ("shell", "shell")))
    assert [row[1] for row in desk.window()] == ["[1]", "[2]", "[3,4]"]
    assert len(raw(desk)) == 4


def test_a_cut_through_a_summary_is_refused(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *TAIL)
    desk.compact(1, ([1, 2, 3], "user", "they spoke"))
    with pytest.raises(Unsupported, match="both sides"):
        desk.repair(Truncate(0, 1), Note(0, 1, ("shell",)))


def test_rows_of_a_later_version_are_dropped(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *MIDDLE)
    desk.compact(1, ([1, 2], "user", "half"))
    desk.run("update session set context_compassion_version = 0")
    desk.repair(SetState(0, "window 1", "dropped"))
    assert desk.rows("select distinct compassion_version from context_window_message") == [(0,)]
    assert desk.head()[:2] == (7, 0)


@pytest.mark.parametrize(
    "key", ['{"id":3}', '{"session_id":"s1","compassion_version":0,"seq":3}', '{"pos":3}']
)
def test_a_window_row_is_taken_out_by_any_key_that_names_it(tmp_path: Path, key: str) -> None:
    desk = Desk(tmp_path, *TAIL)
    desk.repair(Quarantine(Row(str(desk.path), "context_window_message", key)))
    assert [row[0] for row in desk.window()] == [1, 2]


def test_an_original_that_stands_twice_stays_in_the_earlier_row(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *START, say("assistant", "ok"), say("user", "more"))
    desk.compact(1, ([1], "", "="), ([2, 3], "user", "they"), ([3], "", "="), ([3, 4], "user", "x"))
    desk.repair(NewWindow(0))
    assert [row[1] for row in desk.window()] == ["[1]", "[2,3]", "[4]"]


def test_an_overlap_that_holds_a_pair_together_is_for_a_person(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *START, ask("a"), answer("a"))
    desk.compact(1, ([1, 2, 3], "user", "they spoke"), ([3], "", "="), ([4], "", "="))
    with pytest.raises(Unsupported, match="parted"):
        desk.repair(NewWindow(0))


def test_a_lost_session_row_is_made_again_from_its_messages(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *MIDDLE)
    desk.run("delete from session")
    desk.repair(Rebuild(0, "header"))
    assert desk.rows("select * from session") == [("s1", 7, 0, time(1), time(6))]


def test_a_window_without_versions_is_not_listed_anew(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *MIDDLE)
    desk.run("create table w as select * from context_window_message")
    desk.run("drop table context_window_message")
    desk.run("alter table w rename to context_window_message")
    desk.run("alter table context_window_message drop column compassion_version")
    with pytest.raises(Unsupported, match="no versions"):
        desk.repair(unknown(2, 0, "a"))


@pytest.mark.parametrize(
    "operation",
    [
        Drop(0, 2),
        RekeyCall(0, 2, 0, "a"),
        Restore(0, 2, 0, "a", "record 1"),
        Cut(Span("sessions.db", 1, 0, 1)),
        SetState(0, "turn 1", "aborted"),
        Quarantine(Row("sessions.db", "raw_message", '{"session_id":"s1","seq":3}')),
        DropPart(0, 1, 0),
    ],
)
def test_what_laxcode_cannot_do_is_said(tmp_path: Path, operation: Operation) -> None:
    with pytest.raises(Unsupported):
        Desk(tmp_path, *TAIL).repair(operation)
