"""Operations become edits, and everything else stays as it was."""

import json
from pathlib import Path

import pytest
import rollouts as r

from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    Blank,
    Cut,
    Drop,
    DropPart,
    NewWindow,
    Note,
    Operation,
    Outcome,
    Quarantine,
    Rebuild,
    Renumber,
    Reparent,
    Replace,
    Restore,
    SetState,
    Split,
    Truncate,
)
from suture.model.place import Span
from suture.stores.codex import STORE

UNKNOWN = Outcome.UNKNOWN

KILLED = [
    r.PAGINATED,
    r.start("turn-1"),
    r.message("user", "Deploy the shop"),
    r.call("call_1", id="fc_test"),
    r.call("call_2"),
    r.command_done("call_2"),
]

WENT_ON = [
    r.PAGINATED,
    r.message("user", "Deploy the shop"),
    r.call("call_1"),
    r.usage("resp_1"),
    r.message("user", "And?"),
    r.message("assistant", "Deployed."),
    r.usage("resp_2"),
]


def test_all_answers_of_a_tail_are_one_append_in_call_order(tmp_path: Path) -> None:
    path = r.write(tmp_path, r.lines(KILLED, 0))
    restore = Restore(0, 4, 0, "call_2", "record 5")
    after = r.repaired(path, restore, Answer(0, 3, 0, "call_1", UNKNOWN))
    assert after.startswith(path.read_bytes())
    added = r.records(after)[6:]
    assert [line["ordinal"] for line in added] == [6, 7, 8, 9]
    assert [line["timestamp"][17:] for line in added] == [
        "05.001Z",
        "05.002Z",
        "05.003Z",
        "05.004Z",
    ]
    answer, restored, marker, abort = (line["payload"] for line in added)
    assert answer["id"] == "fco_b0d9007d-3140-5150-bb8a-bb6dc1548069"  # as Codex itself makes it
    assert answer["call_id"] == "call_1"
    assert "result is unknown" in answer["output"]
    assert "id" not in restored
    assert restored["output"].startswith("[suture]")
    assert "deployed" in restored["output"]
    assert "exit code: 0" in restored["output"]
    assert marker["content"][0]["text"].startswith("<turn_aborted>")
    assert (abort["type"], abort["turn_id"]) == ("turn_aborted", "turn-1")
    assert list(added[0]) == ["timestamp", "ordinal", "type", "payload", "suture"]
    rows = r.read(r.write(tmp_path / "after", after))
    assert [turn["status"] for turn in rows["turn"]] == ["aborted"]


def test_the_end_of_the_turn_is_written_once(tmp_path: Path) -> None:
    path = r.write(tmp_path, r.lines(KILLED, 0))
    answer, end = Answer(0, 3, 0, "call_1", UNKNOWN), SetState(0, "turn turn-1", "aborted")
    assert r.repaired(path, answer) == r.repaired(path, answer, end)
    alone = r.records(r.repaired(path, end))[6:]
    assert [line["payload"]["type"] for line in alone] == ["message", "turn_aborted"]
    with pytest.raises(Unsupported):
        r.repaired(path, SetState(0, "turn turn-0", "aborted"))


def test_a_missing_final_line_end_comes_first(tmp_path: Path) -> None:
    content = b"".join(r.lines(KILLED, 0))[:-1]
    after = r.repaired(r.write(tmp_path, content), Answer(0, 3, 0, "call_1", UNKNOWN))
    assert after.startswith(content + b"\n")
    assert len(r.records(after)) == 9


def test_families_get_their_own_kind_of_output(tmp_path: Path) -> None:
    custom = {"type": "custom_tool_call", "name": "apply_patch", "input": "x", "call_id": "c1"}
    search = {"type": "tool_search_call", "execution": "client", "arguments": {}, "call_id": "c2"}
    entries = [r.meta(), ("response_item", custom), ("response_item", search)]
    path = r.write(tmp_path, r.lines(entries))
    answers = (Answer(0, 1, 0, "c1", UNKNOWN), Answer(0, 2, 0, "c2", UNKNOWN))
    one, two = (line["payload"] for line in r.records(r.repaired(path, *answers))[3:])
    assert (one["type"], one["call_id"]) == ("custom_tool_call_output", "c1")
    assert (two["type"], two["tools"]) == ("tool_search_output", [])


def test_in_the_middle_of_a_legacy_rollout_the_answer_follows_its_call(tmp_path: Path) -> None:
    content = r.lines([r.meta(), *WENT_ON[1:]])
    after = r.repaired(r.write(tmp_path, content), Answer(0, 2, 0, "call_1", UNKNOWN))
    lines = after.splitlines(keepends=True)
    assert [*lines[:3], *lines[4:]] == content
    assert json.loads(lines[3])["payload"]["call_id"] == "call_1"


def test_in_a_paginated_one_it_takes_the_place_of_telemetry(tmp_path: Path) -> None:
    path = r.write(tmp_path, r.lines(WENT_ON, 0))
    before, after = path.read_bytes(), r.repaired(path, Answer(0, 2, 0, "call_1", UNKNOWN))
    assert len(after) == len(before)
    changed = r.records(after)[3]
    assert (changed["ordinal"], changed["payload"]["call_id"]) == (3, "call_1")
    old, new = before.split(b"\n"), after.split(b"\n")
    assert [i for i in range(len(old)) if old[i] != new[i]] == [3]


def test_parallel_calls_take_the_telemetry_behind_their_batch(tmp_path: Path) -> None:
    calls = [r.call("call_1"), r.call("call_2")]
    entries = [*WENT_ON[:2], *calls, r.usage("resp_1"), r.usage("resp_0"), *WENT_ON[4:]]
    path = r.write(tmp_path, r.lines(entries, 0))
    answers = Answer(0, 2, 0, "call_1", UNKNOWN), Answer(0, 3, 0, "call_2", UNKNOWN)
    after = r.repaired(path, *answers)
    assert len(after) == path.stat().st_size
    assert [line["payload"].get("call_id") for line in r.records(after)[2:6]] == [
        "call_1",
        "call_2",
        "call_1",
        "call_2",
    ]


def test_without_telemetry_it_is_inserted_and_the_rest_renumbered(tmp_path: Path) -> None:
    entries = [*WENT_ON[:3], *WENT_ON[4:]]
    path = r.write(tmp_path, r.lines(entries, 0))
    after = r.records(r.repaired(path, Answer(0, 2, 0, "call_1", UNKNOWN)))
    assert [line["ordinal"] for line in after] == list(range(7))
    assert after[3]["payload"]["call_id"] == "call_1"
    assert [line["payload"] for line in after[4:]] == [payload for _, payload in entries[3:]]


def test_bytes_that_another_rollout_builds_on_do_not_move(tmp_path: Path) -> None:
    content = r.lines([*WENT_ON[:3], *WENT_ON[4:]], 0)
    folder = tmp_path / "sessions/2026/03/02"
    path = r.write(folder, content)
    child = "019c0000-0000-7000-8000-000000000002"
    base = {
        "thread_id": r.THREAD,
        "end_ordinal_exclusive": 6,
        "end_byte_offset": path.stat().st_size,
    }
    header = r.meta(id=child, history_mode="paginated", history_base=base)
    r.write(folder, r.lines([header], 6), f"rollout-2026-03-02T10-00-00-{child}.jsonl")
    with pytest.raises(Unsupported, match="another rollout"):
        r.repaired(path, Answer(0, 2, 0, "call_1", UNKNOWN))
    assert len(r.repaired(path, Drop(0, 2))) == path.stat().st_size


def test_dropping_cuts_the_line_or_keeps_its_length_and_ordinal(tmp_path: Path) -> None:
    legacy = r.lines([r.meta(), *WENT_ON[1:]])
    after = r.repaired(r.write(tmp_path / "a", legacy), Drop(0, 2))
    assert after == b"".join([*legacy[:2], *legacy[3:]])
    path = r.write(tmp_path / "b", r.lines(WENT_ON, 0))
    after = r.repaired(path, Drop(0, 2))
    assert len(after) == path.stat().st_size
    assert (r.records(after)[2]["type"], r.records(after)[2]["ordinal"]) == ("suture_removed", 2)
    assert len(r.records(r.repaired(path, Drop(0, 6)))) == 6


def test_a_record_whose_ordinal_is_shared_is_blanked_with_spaces(tmp_path: Path) -> None:
    content = r.lines(WENT_ON[:3], 0) + r.lines(WENT_ON[3:], 2)
    path = r.write(tmp_path, content)
    after = r.repaired(path, Blank(0, 3))
    assert len(after) == path.stat().st_size
    assert after.split(b"\n")[3].strip() == b""
    assert [line["ordinal"] for line in r.records(after)] == [0, 1, 2, 3, 4, 5]


def test_drop_leaves_a_note_and_takes_the_reasoning_along(tmp_path: Path) -> None:
    reasoning = (
        "response_item",
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"},
    )
    entries = [r.meta(), r.start("t"), r.message("user", "go"), reasoning, r.call("c")]
    path = r.write(tmp_path, r.lines(entries))
    after = r.records(r.repaired(path, DropPart(0, 4, 0), Note(0, 4, ("exec_command",))))
    kinds = [line["payload"].get("type") for line in after[2:]]
    assert kinds == ["message", "message", "message", "turn_aborted"]
    assert "exec_command" in after[3]["payload"]["content"][0]["text"]


@pytest.mark.parametrize("numbered", [False, True])
def test_truncate_leaves_nothing_after_the_last_legal_point(tmp_path: Path, numbered: bool) -> None:
    entries = KILLED if numbered else [r.meta(), *KILLED[1:]]
    path = r.write(tmp_path, r.lines(entries, 0 if numbered else None))
    operations = (
        Truncate(0, 2),
        Note(0, 2, ("exec_command",)),
        Restore(0, 4, 0, "call_2", "record 5"),
    )
    after = r.repaired(path, *operations)
    left = [line for line in r.records(after) if line["type"] != "suture_removed"]
    assert [line["payload"].get("type") for line in left[2:]] == ["message"] * 3 + ["turn_aborted"]
    if numbered:
        assert [line["ordinal"] for line in r.records(after)] == list(range(9))


def test_a_call_of_a_stored_history_is_answered_there(tmp_path: Path) -> None:
    items = [r.message("user", "go")[1], r.call("c")[1], r.message("assistant", "hm")[1]]
    entry = ("compacted", {"message": "", "replacement_history": items})
    path = r.write(tmp_path, r.lines([r.meta(), entry]))
    after = r.records(r.repaired(path, Answer(0, 1, 1, "c", UNKNOWN)))
    history = after[1]["payload"]["replacement_history"]
    assert [item["type"] for item in history][2] == "function_call_output"
    assert len(history) == 4


def test_renumbering_writes_what_is_missing(tmp_path: Path) -> None:
    content = r.lines(WENT_ON[:3], 0) + r.lines(WENT_ON[3:])
    path = r.write(tmp_path, content)
    after = r.repaired(path, Renumber(0, 3, 3))
    assert [line["ordinal"] for line in r.records(after)] == list(range(7))
    assert list(r.records(after)[4])[:2] == ["timestamp", "ordinal"]
    assert after.startswith(b"".join(content[:3]))
    twice = r.lines(WENT_ON[:3], 0) + r.lines(WENT_ON[3:], 2)
    after = r.repaired(r.write(tmp_path / "b", twice), Renumber(0, 3, 3))
    assert [line["ordinal"] for line in r.records(after)] == list(range(7))


def test_damaged_bytes_of_a_paginated_file_keep_their_length(tmp_path: Path) -> None:
    content = r.lines(WENT_ON, 0)
    cut = content[2][:150] + b"\n"
    path = r.write(tmp_path, [*content[:2], cut, *content[3:]])
    offset = len(content[0] + content[1])
    after = r.repaired(path, Quarantine(Span(str(path), 3, offset, 150)))
    assert len(after) == path.stat().st_size
    assert (r.records(after)[2]["type"], r.records(after)[2]["ordinal"]) == ("suture_removed", 2)
    glued = r.write(tmp_path / "b", [*content[:2], cut[:-1] + content[2], *content[3:]])
    mended = r.repaired(glued, Cut(Span(str(glued), 3, offset, 150)))
    assert len(mended) == glued.stat().st_size
    assert r.records(mended) == r.records(b"".join(content))
    bad = r.write(tmp_path / "c", b"".join(content).replace(b"Deploy the", b"Deploy\xfethe"))
    at = bad.read_bytes().index(b"\xfe")
    place = Span(str(bad), 2, at, 1)
    assert b"Deploy?the" in r.repaired(bad, Replace(place, "\ufffd".encode()))


def test_a_torn_tail_is_cut_and_glued_records_are_split(tmp_path: Path) -> None:
    content = b"".join(r.lines(WENT_ON, 0))
    torn = r.write(tmp_path, content + b'{"timestamp":"2026')
    assert r.repaired(torn, Cut(Span(str(torn), 8, len(content), 18))) == content
    lines = r.lines(WENT_ON, 0)
    at = len(b"".join(lines[:2])) - 1
    glued = r.write(tmp_path / "b", content[:at] + content[at + 1 :])
    assert r.repaired(glued, Split(Span(str(glued), 2, 0, 10), (at,))) == content


def test_what_a_rollout_cannot_do_is_said(tmp_path: Path) -> None:
    path = r.write(tmp_path, r.lines(WENT_ON, 0))
    unknown: list[Operation] = [Reparent(0, 1, None), NewWindow(0), Rebuild(0, "projection")]
    for operation in [*unknown, Drop(0, 99), Answer(0, 1, 0, "call_1", UNKNOWN)]:
        with pytest.raises(Unsupported):
            r.repaired(path, operation)
    assert {name for name, text in STORE.supports().items() if text != "yes"} == {
        "Reparent",
        "ResultsFirst",
        "SetCounter",
        "NewWindow",
    }
