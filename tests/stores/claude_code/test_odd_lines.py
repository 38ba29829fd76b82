"""Lines of a transcript that no client writes so: each costs what is wrong with it alone."""

from pathlib import Path

import pytest
import transcripts as t


def test_a_record_without_the_parent_key_is_a_root(tmp_path: Path) -> None:
    lines = [t.prompt("p", None, 0), t.reply("a", "p", 1)]
    del lines[1]["parentUuid"]
    assert t.live(t.write(tmp_path, *lines)) == [1]


WRONG = [None, 7, True, "text", [1], {"a": 1}]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_wrong_types_in_every_field_cost_that_field_only(tmp_path: Path, wrong: object) -> None:
    base = t.call("c", "p", 1, "toolu_1", "msg_a")
    answer = t.result("r", "c", 2, "toolu_1")
    cut = t.boundary("cut", "c", 3, preservedSegment={"headUuid": "x"}, preservedMessages={})
    lines: list[t.Json] = [
        whole | {key: wrong}
        for whole in (base, answer, cut)
        for key in whole
        if not (key == "type" and isinstance(wrong, str))
    ]
    lines += [base | {"message": base["message"] | {key: wrong}} for key in base["message"]]
    block = answer["message"]["content"][0]
    lines += [
        answer | {"message": {"role": "user", "content": [block | {key: wrong}]}} for key in block
    ]
    lines += [base | {"message": base["message"] | {"content": [wrong]}}]
    rows = t.read(t.write(tmp_path, *lines), full=True)
    assert len(rows["record"]) == len(lines)
    shapes = [r for r in rows.get("damage", []) if r["kind"] == "bad_shape"]
    assert shapes  # null is a wrong type for `type` alone


def test_damage_names_its_session_and_what_was_won(tmp_path: Path) -> None:
    glued = t.dump(t.prompt("p", None, 0))[:-1] + t.dump(t.reply("a", "p", 1))
    rows = t.read(t.write(tmp_path, glued, b'{"type":"user","uuid":"'))
    assert {r["kind"] for r in rows["damage"]} == {"missing_newline", "torn_tail"}
    assert {r["session"] for r in rows["damage"]} == {0}
    assert [(r["kind"], r["recovered"]) for r in rows["record"]] == [
        ("prompt", True),
        ("reply", True),
    ]


def test_a_key_that_stands_twice_is_named_where_it_shows(tmp_path: Path) -> None:
    line = t.dump(t.prompt("p", None, 0)).replace(b'"type":"user"', b'"type":"user","type":"zzz"')
    rows = t.read(t.write(tmp_path, line))
    assert [(r["kind"], r["field"], r["n"]) for r in rows["damage"]] == [
        ("duplicate_key", "type", 0)
    ]


def test_a_pointer_does_not_hinder_the_step_over_a_missing_parent(tmp_path: Path) -> None:
    late = t.reply("end", "never written", 2)
    path = t.write(tmp_path, t.prompt("p", None, 0), late, t.last_prompt("p"))
    assert t.live(path) == [0, 1]
