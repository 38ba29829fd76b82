"""Operations become edits; every other byte stays, and each reader finds what was added."""

import json
from pathlib import Path
from typing import get_args

import pytest
import transcripts as t
from killed_turn import KILLED, UNKNOWN, result_of

from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    Blank,
    Drop,
    DropPart,
    Move,
    NewWindow,
    Note,
    Operation,
    Rebuild,
    Rekey,
    RekeyCall,
    Renumber,
    Reparent,
    Restore,
    SetCounter,
    SetState,
    Truncate,
)
from suture.stores.claude_code import STORE


def test_an_answer_at_the_tail_is_appended(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED[:4])
    after = t.repaired(path, Answer(0, 3, 0, "toolu_1", UNKNOWN))
    assert after.startswith(path.read_bytes())
    added = result_of(after, "toolu_1")
    assert list(added) == [*t.result("x", "y", 0, "z"), "sutureRepair"]
    (block,) = added["message"]["content"]
    assert block["is_error"] is True
    assert block["content"].startswith("[suture] Execution of this Bash call was interrupted")
    assert "2026-03-02T09:00:03.000Z" in block["content"]
    assert added["timestamp"] == "2026-03-02T09:00:03.001Z"
    assert added["parentUuid"] == added["sourceToolAssistantUUID"] == t.uid("c1")
    for key in ("cwd", "sessionId", "version", "gitBranch", "userType", "isSidechain"):
        assert added[key] == KILLED[3][key]


def test_the_same_repair_makes_the_same_bytes(tmp_path: Path) -> None:
    paths = [t.write(tmp_path / name, *KILLED) for name in ("one", "two")]
    one, two = (t.repaired(path, Answer(0, 3, 0, "toolu_1", UNKNOWN)) for path in paths)
    assert one == two


def test_answers_of_a_batch_are_passed_by_a_plain_walk(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    answers = [Answer(0, 3, 0, "toolu_1", UNKNOWN), Answer(0, 4, 0, "toolu_2", UNKNOWN)]
    after = t.repaired(path, *answers)
    assert len(t.plain_walk(after)) == 7
    path.write_bytes(after)
    assert t.sent(path) == [0, 1, 2, 3, 4, 5, 6]


def test_the_other_half_of_a_batch_is_answered_behind_its_sibling(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED, t.result("r2", "c2", 5, "toolu_2"))
    after = t.repaired(path, Answer(0, 3, 0, "toolu_1", UNKNOWN))
    assert len(t.plain_walk(after)) == 7
    assert result_of(after, "toolu_1")["parentUuid"] == t.uid("r2")
    assert result_of(after, "toolu_1")["sourceToolAssistantUUID"] == t.uid("c1")


def test_an_answer_in_mid_history_stands_where_its_call_stands(tmp_path: Path) -> None:
    later = [t.prompt("q", "c2", 60), t.reply("b", "q", 61)]
    path = t.write(tmp_path, *KILLED, *later)
    answers = [Answer(0, 3, 0, "toolu_1", UNKNOWN), Answer(0, 4, 0, "toolu_2", UNKNOWN)]
    after = t.repaired(path, *answers)
    ids = [r["uuid"] for r in t.records(after)]
    assert t.plain_walk(after) == ids  # file order and chain agree
    assert ids[5] == result_of(after, "toolu_1")["uuid"]
    assert result_of(after, "toolu_1")["timestamp"] == "2026-03-02T09:00:04.001Z"
    old, new = t.dump(later[0]), after.splitlines(keepends=True)[7]
    assert new == old.replace(t.uid("c2").encode(), ids[6].encode())  # the value and no more
    assert after.endswith(t.dump(later[1]))


def test_an_answer_leaves_a_branch_that_was_left_alone(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED[:4], t.prompt("dead", "c1", 5), t.prompt("q", "c1", 6))
    after = t.repaired(path, Answer(0, 3, 0, "toolu_1", UNKNOWN))
    dead, alive = (r for r in t.records(after) if r["uuid"] in (t.uid("dead"), t.uid("q")))
    assert dead["parentUuid"] == t.uid("c1")
    assert alive["parentUuid"] == result_of(after, "toolu_1")["uuid"]


def test_a_line_end_comes_first_where_the_last_record_has_none(tmp_path: Path) -> None:
    path = t.write(tmp_path, t.dump(*KILLED[:4])[:-1])
    after = t.repaired(path, Answer(0, 3, 0, "toolu_1", UNKNOWN))
    assert len(t.records(after)) == 5
    assert after.endswith(b"}\n")


@pytest.mark.parametrize(
    "operations",
    [
        [Answer(0, 3, 0, "toolu_1", UNKNOWN), Answer(0, 4, 0, "toolu_2", UNKNOWN)],
        [DropPart(0, 3, 0), DropPart(0, 4, 0), Note(0, 4, ("Bash", "Bash"))],
        [Truncate(0, 2), Note(0, 2, ("Bash", "Bash"))],
    ],
    ids=["answer", "drop", "truncate"],
)
@pytest.mark.parametrize("pointer", ["c2", "a", None])
def test_all_leaf_rules_agree_afterwards(
    tmp_path: Path, operations: list[Operation], pointer: str | None
) -> None:
    stray = t.reply("stray", "p", 30)  # an older branch with a newer time
    pointers = [] if pointer is None else [t.last_prompt(pointer)]
    path = t.write(tmp_path, KILLED[0], *KILLED[1:], *pointers)
    if pointer is None:
        path = t.write(tmp_path, KILLED[0], stray, *KILLED[1:])
        operations = [_shifted(operation) for operation in operations]
    after = t.repaired(path, *operations)
    assert len(t.leaves(path, after)) == 1
    rows = t.read(path)
    assert rows["record"][rows["session"][0]["leaf"]]["id"] in t.leaves(path, after)


def _shifted(operation: Operation) -> Operation:
    match operation:
        case Answer(session, n, part, call_id, outcome):
            return Answer(session, n + 1, part, call_id, outcome)
        case DropPart(session, n, part):
            return DropPart(session, n + 1, part)
        case Truncate(session, n):
            return Truncate(session, n + 1)
        case Note(session, n, tools):
            return Note(session, n + 1, tools)
    raise AssertionError(operation)


def test_reparenting_changes_one_value(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    after = t.repaired(path, Reparent(0, 4, 2), Reparent(0, 1, None))
    old = t.dump(*KILLED)
    for before, now in ((("c1", t.uid("r")), 4), (("p", None), 1)):
        name, value = before
        line = t.dump(KILLED[now])
        pair = (json.dumps(t.uid(name)).encode(), json.dumps(value).encode())
        old = old.replace(
            line, line.replace(b'"parentUuid":' + pair[0], b'"parentUuid":' + pair[1])
        )
    assert after == old


def test_a_missing_parent_key_is_put_in(tmp_path: Path) -> None:
    line = t.prompt("q", "p", 1)
    del line["parentUuid"]
    after = t.repaired(t.write(tmp_path, KILLED[0], line), Reparent(0, 1, None))
    assert after == t.dump(KILLED[0]) + t.dump(line).replace(b"{", b'{"parentUuid":null,', 1)


def test_a_second_holder_of_an_id_gets_a_fresh_one(tmp_path: Path) -> None:
    other = t.prompt("p", "a", 5, "something else")
    follower = t.reply("b", "p", 6)
    path = t.write(tmp_path, *KILLED[:2], other, follower)
    kept = t.records(t.repaired(path, Rekey(0, 2, (3,))))
    assert len({r["uuid"] for r in kept}) == 4
    assert kept[3]["parentUuid"] == kept[2]["uuid"]
    assert kept[1]["parentUuid"] == kept[0]["uuid"]


def test_a_call_and_its_result_get_the_same_fresh_id(tmp_path: Path) -> None:
    again = [t.call("c", "r", 3, "toolu_0", "msg_9"), t.result("s", "c", 4, "toolu_0", "other")]
    path = t.write(tmp_path, *KILLED[:3], *again)
    kept = t.records(t.repaired(path, RekeyCall(0, 3, 0, "toolu_0", 4, 0)))
    (call,), (result,) = (kept[n]["message"]["content"] for n in (3, 4))
    assert call["id"] == result["tool_use_id"] != "toolu_0"
    assert call["id"].startswith("toolu_")


def test_a_displaced_result_moves_behind_its_call(tmp_path: Path) -> None:
    lines = [
        t.prompt("p", None, 0),
        t.call("c", "p", 1, "toolu_1", "msg_1"),
        t.prompt("q", "c", 2, "are you there?"),
        t.result("r", "q", 3, "toolu_1"),
        t.reply("b", "r", 4),
    ]
    after = t.repaired(t.write(tmp_path, *lines), Move(0, 3, 1))
    assert t.plain_walk(after) == [t.uid(name) for name in ("p", "c", "r", "q", "b")]
    assert [r["uuid"] for r in t.records(after)] == t.plain_walk(after)


def test_a_result_that_hangs_right_moves_without_a_changed_byte(tmp_path: Path) -> None:
    call, result = t.call("c", "p", 1, "toolu_1", "msg_1"), t.result("r", "c", 2, "toolu_1")
    path = t.write(tmp_path, t.prompt("p", None, 0), result, call, t.reply("b", "r", 3))
    after = t.repaired(path, Move(0, 1, 2))
    assert after == t.dump(t.prompt("p", None, 0), call, result, t.reply("b", "r", 3))


def test_a_proven_outcome_is_restored_in_our_own_frame(tmp_path: Path) -> None:
    spilled = tmp_path / t.SESSION / "tool-results" / "toolu_1.txt"
    spilled.parent.mkdir(parents=True)
    spilled.write_bytes("déployé\0".encode())
    path = t.write(tmp_path, *KILLED[:4])
    after = t.repaired(path, Restore(0, 3, 0, "toolu_1", "tool-results/toolu_1.txt"))
    (block,) = result_of(after, "toolu_1")["message"]["content"]
    assert block["is_error"] is False
    assert block["content"].startswith("[suture] The result of this call was lost")
    assert block["content"].endswith("tool-results/toolu_1.txt:\ndéployé\N{SYMBOL FOR NULL}")


def test_a_subagents_last_word_is_restored(tmp_path: Path) -> None:
    below = f"{t.SESSION}/subagents/agent-a1.jsonl"
    t.write(tmp_path, t.prompt("s", None, 2), t.reply("e", "s", 3, "two tests"), name=below)
    path = t.write(tmp_path, *KILLED[:4])
    after = t.repaired(path, Restore(0, 3, 0, "toolu_1", "subagents/agent-a1.jsonl"))
    assert result_of(after, "toolu_1")["message"]["content"][0]["content"].endswith("two tests")


def test_lost_evidence_is_a_reason_not_a_crash(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    with pytest.raises(Unsupported, match="cannot be read"):
        t.repaired(path, Restore(0, 3, 0, "toolu_1", "tool-results/gone.txt"))


def test_a_subagents_call_is_answered_in_its_own_file(tmp_path: Path) -> None:
    below = f"{t.SESSION}/subagents/agent-a1.jsonl"
    lines = [value | {"isSidechain": True, "agentId": "a1"} for value in KILLED[:4]]
    side = t.write(tmp_path, *lines, name=below)
    after = t.repaired(side, Answer(0, 3, 0, "toolu_1", UNKNOWN))
    added = result_of(after, "toolu_1")
    assert (added["isSidechain"], added["agentId"]) == (True, "a1")


@pytest.mark.parametrize(
    "operation",
    [
        Renumber(0, 0, 1),
        Blank(0, 0),
        SetState(0, "turn 1", "closed"),
        SetCounter(0, "next", 1),
        NewWindow(0),
        Rebuild(0, "header"),
        Drop(0, 99),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_a_transcript_cannot_do_is_said(tmp_path: Path, operation: Operation) -> None:
    with pytest.raises(Unsupported):
        t.repaired(t.write(tmp_path, *KILLED), operation)


def test_every_operation_is_in_the_table_of_support() -> None:
    names = {kind.__name__ for kind in get_args(Operation)}
    assert set(STORE.supports()) == names
