"""Operations become edits; every other byte stays, and each reader finds what was added."""

import json
from pathlib import Path
from typing import get_args

import pytest
import transcripts as t

from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    Blank,
    Cut,
    Drop,
    DropPart,
    Move,
    NewWindow,
    Note,
    Operation,
    Outcome,
    Quarantine,
    Rebuild,
    Rekey,
    RekeyCall,
    Renumber,
    Reparent,
    Restore,
    SetCounter,
    SetState,
    Split,
    Truncate,
)
from suture.model.place import Span
from suture.stores.claude_code import STORE

UNKNOWN = Outcome.UNKNOWN
KILLED = [
    t.prompt("p", None, 0),
    t.call("a", "p", 1, "toolu_0", "msg_0"),
    t.result("r", "a", 2, "toolu_0"),
    t.call("c1", "r", 3, "toolu_1", "msg_1"),
    t.call("c2", "c1", 4, "toolu_2", "msg_1"),
]


def result_of(data: bytes, call_id: str) -> t.Json:
    return next(
        value
        for value in t.records(data)
        if value["type"] == "user"
        and isinstance(value["message"]["content"], list)
        and value["message"]["content"][0]["tool_use_id"] == call_id
    )


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


def test_dropping_a_tail_leaves_one_note(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    after = t.repaired(path, DropPart(0, 3, 0), DropPart(0, 4, 0), Note(0, 4, ("Bash", "Bash")))
    assert after.startswith(t.dump(*KILLED[:3]))
    (note,) = t.records(after)[3:]
    assert note["parentUuid"] == t.uid("r")
    assert note["isMeta"] is True
    assert note["message"]["content"].startswith("[suture] The session was interrupted here.")
    assert "toolUseResult" not in note and "sourceToolAssistantUUID" not in note


def test_truncating_keeps_what_hangs_on_no_chain(tmp_path: Path) -> None:
    title = {"type": "custom-title", "customTitle": "shop", "sessionId": t.SESSION}
    path = t.write(tmp_path, *KILLED, title)
    after = t.repaired(path, Truncate(0, 0), Note(0, 0, ("Bash",)))
    kept = t.records(after)
    assert [r["type"] for r in kept] == ["user", "custom-title", "user"]
    assert kept[2]["parentUuid"] == t.uid("p")


def test_truncating_all_leaves_a_root_with_the_envelope_of_what_went(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    (note,) = t.records(t.repaired(path, Truncate(0, -1), Note(0, -1, ("Bash",))))
    assert (note["parentUuid"], note["cwd"]) == (None, "/home/dev/shop")


def test_children_of_a_dropped_record_hang_on_its_parent(tmp_path: Path) -> None:
    lines = [t.prompt("p", None, 0), t.result("x", "p", 1, "gone"), t.result("y", "x", 2, "gone2")]
    path = t.write(tmp_path, *lines, t.reply("b", "y", 3), t.last_prompt("y"))
    after = t.repaired(path, Drop(0, 1), Drop(0, 2))
    kept = t.records(after)
    assert [r.get("parentUuid") for r in kept] == [None, t.uid("p"), None]
    assert kept[2]["leafUuid"] == t.uid("p")


def test_dropping_a_copy_moves_no_child(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED[:3], *KILLED[:2])
    assert t.repaired(path, Drop(0, 3), Drop(0, 4)) == t.dump(*KILLED[:3])


def test_a_record_that_a_compaction_keeps_is_not_dropped(tmp_path: Path) -> None:
    kept = {"headUuid": t.uid("r"), "tailUuid": t.uid("r")}
    path = t.write(tmp_path, *KILLED[:3], t.boundary("cut", "r", 9, preservedSegment=kept))
    with pytest.raises(Unsupported, match="line 4 keeps the record of line 3"):
        t.repaired(path, Drop(0, 2))


def test_a_block_goes_and_the_others_keep_their_bytes(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": f"{i}", "extra": 1.0} for i in range(4)]
    line = t.dump(t.assistant("a", "p", 1, "msg_a", *blocks))
    path = t.write(tmp_path, t.prompt("p", None, 0), line)
    one = t.repaired(path, DropPart(0, 1, 2))
    assert t.records(one)[1]["message"]["content"] == [*blocks[:2], blocks[3]]
    two = t.repaired(path, DropPart(0, 1, 3), DropPart(0, 1, 1))
    gone = (t.dump(blocks[1])[:-1] + b",", b"," + t.dump(blocks[3])[:-1])
    assert two.splitlines(keepends=True)[1] == line.replace(gone[0], b"").replace(gone[1], b"")


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


def test_children_of_a_quarantined_line_hang_on_the_parent_that_its_text_names(
    tmp_path: Path,
) -> None:
    broken = t.dump(t.reply("a", "p", 1)).replace(b'"message":{', b'"message":{{')
    path = t.write(tmp_path, t.prompt("p", None, 0), broken, t.prompt("q", "a", 60))
    (damage,) = t.read(path)["damage"]
    place = Span(str(path), damage["line"], damage["offset"], damage["length"])
    kept = t.records(t.repaired(path, Quarantine(place)))
    assert [r["parentUuid"] for r in kept] == [None, t.uid("p")]


def test_bytes_are_cut_and_split(tmp_path: Path) -> None:
    whole = t.dump(*KILLED)
    path = t.write(tmp_path, whole + b'{"torn')
    assert t.repaired(path, Cut(Span(str(path), 6, len(whole), 6))) == whole
    glued = t.dump(KILLED[0])[:-1]
    path = t.write(tmp_path, glued + t.dump(KILLED[1]))
    place = Span(str(path), 1, 0, len(glued))
    assert t.repaired(path, Split(place, (len(glued),))) == t.dump(*KILLED[:2])


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
