"""A rollout becomes rows."""

import json
from pathlib import Path
from typing import Any

import pytest
import rollouts as r

from suture.stores.codex.actual import Actual
from suture.stores.codex.scan import read_rollout

LEGACY = [
    r.meta(cli_version="0.144.0"),
    r.start("turn-1"),
    r.message("user", "<environment_context>\n</environment_context>"),
    r.message("user", "Deploy the shop"),
    r.call("call_1"),
    r.call("call_2", id="fc_2"),
    r.output("call_1"),
    r.complete("turn-1"),
]


def test_a_legacy_rollout_has_no_ordinals_and_every_kind(tmp_path: Path) -> None:
    rows = r.read(r.write(tmp_path, r.lines(LEGACY)))
    (session,) = rows["session"]
    assert (session["id"], session["variant"], session["numbered"]) == (r.THREAD, "legacy", False)
    assert [row["kind"] for row in rows["record"]] == [
        "header",
        "turn_start",
        "injected",
        "prompt",
        "call",
        "call",
        "result",
        "turn_end",
    ]
    first, second = rows["call"]
    assert first["batch"] == second["batch"]
    assert second["outcome"] == "unknown"
    assert rows["turn"][0]["status"] == "complete"


def test_places_lead_back_to_the_bytes(tmp_path: Path) -> None:
    path = r.write(tmp_path, r.lines(LEGACY))
    data = path.read_bytes()
    for row in r.read(path)["record"]:
        raw = data[row["offset"] : row["offset"] + row["length"]]
        assert json.loads(raw)["type"] == row["type"].partition("/")[0]
        assert data[: row["offset"]].count(b"\n") + 1 == row["line"]


def test_an_item_completed_proves_the_outcome_of_a_call(tmp_path: Path) -> None:
    entries = [r.PAGINATED, r.start("t"), r.call("call_1"), r.command_done("call_1")]
    (call,) = r.read(r.write(tmp_path, r.lines(entries, 0)))["call"]
    assert (call["outcome"], call["evidence"], call["state"]) == (
        "recorded",
        "record 3",
        "completed",
    )


def test_a_declined_command_was_never_started(tmp_path: Path) -> None:
    kind, payload = r.command_done("call_1")
    payload["item"]["status"] = "declined"
    entries = [r.PAGINATED, r.call("call_1"), (kind, payload)]
    (call,) = r.read(r.write(tmp_path, r.lines(entries, 0)))["call"]
    assert (call["outcome"], call["state"]) == ("never_started", "denied")


def test_only_what_follows_the_last_compaction_is_sent(tmp_path: Path) -> None:
    snapshot = [r.message("user", "Deploy the shop")[1], r.call("call_9")[1]]
    entries = [
        r.meta(),
        r.message("user", "Deploy the shop"),
        r.message("assistant", "Done."),
        ("compacted", {"message": "", "replacement_history": snapshot}),
        r.message("user", "Go on"),
    ]
    rows = r.read(r.write(tmp_path, r.lines(entries)))
    assert [row["n"] for row in rows["record"] if row["sent"]] == [3, 4]
    (compaction,) = rows["compaction"]
    assert (compaction["kept"], compaction["talk_before"]) == (2, 2)
    (call,) = rows["call"]
    assert (call["lane"], call["n"], call["part"]) == ("snapshot:3", 3, 1)


def test_a_rollback_takes_the_last_turns_out_of_a_legacy_history(tmp_path: Path) -> None:
    entries = [
        r.meta(),
        r.message("user", "one"),
        r.message("assistant", "1"),
        r.message("user", "two"),
        r.message("assistant", "2"),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
        r.message("user", "three"),
    ]
    rows = r.read(r.write(tmp_path, r.lines(entries)))
    assert [row["n"] for row in rows["record"] if row["sent"]] == [1, 2, 6]


def test_a_paginated_rollout_takes_a_rollback_too(tmp_path: Path) -> None:
    back = ("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    entries = [r.PAGINATED, r.message("user", "one"), r.message("user", "two"), back]
    rows = r.read(r.write(tmp_path, r.lines(entries, 0)))
    assert [row["n"] for row in rows["record"] if row["sent"]] == [1]


@pytest.mark.parametrize("ordinal", [b'"2"', b"-1", b"99999999999999999999", b"[]"])
@pytest.mark.parametrize(
    "cut",
    [
        ("compacted", {"message": "", "replacement_history": []}),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
    ],
)
def test_what_a_client_skips_cuts_no_history(
    cut: tuple[str, r.Json], ordinal: bytes, tmp_path: Path
) -> None:
    lines = r.lines([r.PAGINATED, r.message("user", "one"), cut, r.message("user", "two")], 0)
    lines[2] = lines[2].replace(b'"ordinal":2,', b'"ordinal":%s,' % ordinal)
    rows = r.read(r.write(tmp_path, lines))
    assert [row["n"] for row in rows["record"] if row["sent"]] == [1, 3]


def test_a_paginated_history_begins_at_the_last_header(tmp_path: Path) -> None:
    entries = [r.PAGINATED, r.message("user", "one"), r.PAGINATED, r.message("user", "two")]
    rows = r.read(r.write(tmp_path, r.lines(entries, 0)))
    assert [row["n"] for row in rows["record"] if row["sent"]] == [3]
    legacy = r.read(r.write(tmp_path / "old", r.lines([r.meta(), *entries[1:2], r.meta()])))
    assert [row["n"] for row in legacy["record"] if row["sent"]] == [1]


def test_a_turn_is_closed_by_the_next_one(tmp_path: Path) -> None:
    entries = [r.meta(), r.start("a"), r.start("b"), r.complete("b"), r.complete("b")]
    turns = r.read(r.write(tmp_path, r.lines(entries)))["turn"]
    assert [(turn["status"], turn["ends"]) for turn in turns] == [("implicit", 0), ("complete", 2)]


def test_copies_are_told_apart(tmp_path: Path) -> None:
    entries = r.lines([r.meta(), r.message("user", "one"), r.message("assistant", "1")])
    again = r.read(r.write(tmp_path / "a", [*entries, entries[1]]))["record"][3]
    assert (again["copy_of"], again["copy_kind"]) == (1, "identical")
    numbered = r.lines([r.PAGINATED, r.message("user", "one")], 0)
    event = numbered[1].replace(b'"ordinal":1', b'"ordinal":2')
    again = r.read(r.write(tmp_path / "b", [*numbered, event]))["record"][2]
    assert (again["copy_of"], again["copy_kind"]) == (1, "event")
    reply = r.message("assistant", "1")
    reply[1]["id"] = "msg_1"
    again = r.read(r.write(tmp_path / "c", r.lines([r.meta(), reply, reply])))["record"][2]
    assert (again["copy_of"], again["copy_kind"]) == (1, "envelope")
    other = r.message("assistant", "2")
    other[1]["id"] = "msg_1"
    again = r.read(r.write(tmp_path / "d", r.lines([r.meta(), reply, other])))["record"][2]
    assert (again["copy_of"], again["same_id"]) == (None, 1)


def test_repeated_results_carry_a_digest_to_compare(tmp_path: Path) -> None:
    entries = [r.meta(), r.call("c"), r.output("c"), r.output("c"), r.output("c", "other")]
    one, two, three = (
        row["digest"] for row in r.read(r.write(tmp_path, r.lines(entries)))["result"]
    )
    assert one == two != three


@pytest.mark.parametrize(
    ("text", "made_up"),
    [
        ("aborted", (True, False)),
        ("aborted by user after 5.7s", (True, False)),
        ("Wall time: 5.6 seconds\naborted by user", (True, False)),
        ("[suture] " + "long " * 60, (True, True)),
        ("the build was aborted", (False, False)),
    ],
)
def test_placeholders_are_known(tmp_path: Path, text: str, made_up: tuple[bool, bool]) -> None:
    entries = [r.meta(), r.call("c"), r.output("c", text)]
    (result,) = r.read(r.write(tmp_path, r.lines(entries)))["result"]
    assert (result["placeholder"], result["marked"]) == made_up


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"name": "she\0ll"}, "the name holds control bytes"),
        ({"name": ""}, "the name is empty"),
        ({"name": "x" * 129}, "the name has 129 characters"),
        ({"name": "a b"}, "the name holds characters that the provider refuses"),
        ({"arguments": '{"cmd": "cut off her'}, "the arguments are no JSON"),
        ({"arguments": "{}"}, None),
    ],
)
def test_calls_that_no_provider_takes(tmp_path: Path, more: Any, reason: str | None) -> None:
    (call,) = r.read(r.write(tmp_path, r.lines([r.meta(), r.call("c", **more)])))["call"]
    assert call["malformed"] == reason


def test_an_item_id_of_another_family_is_refused(tmp_path: Path) -> None:
    entries = [r.meta(), r.call("c", id="ctc_1"), r.call("d", id="fc_1")]
    rows = r.read(r.write(tmp_path, r.lines(entries)))
    assert [c["bad_item_id"] for c in rows["call"]] == ["it does not start with fc_", None]
    assert [row["problem"] for row in rows["record"]] == [None, "item_id", None]


def test_wrong_types_cost_nothing_but_themselves(tmp_path: Path) -> None:
    entries: list[Any] = [
        r.meta(),
        ("response_item", {"type": "function_call", "name": 5, "call_id": "c", "arguments": {}}),
        ("response_item", {"type": "message", "role": ["user"], "content": 3}),
        ("compacted", {"replacement_history": [7, {"type": "message", "id": 4}]}),
        ("event_msg", "text"),
        ("session_meta", {"history_base": 4}),
    ]
    content = [*r.lines(entries), b"[1,2]\n", b"17\n", b"null\n", b"{}\n"]
    rows = r.read(r.write(tmp_path, content))["record"]
    assert [row["kind"] for row in rows[3:]] == ["boundary", "unknown", "header", "unknown"]
    assert rows[1]["problem"] == "shape"
    assert rows[1]["detail"] == "payload.name is a number; a client skips the line"
    assert rows[5]["problem"] == "shape"


def test_usage_becomes_steps(tmp_path: Path) -> None:
    entries = [r.PAGINATED, r.start("t"), r.message("assistant", "hm"), r.usage("resp_1")]
    (step,) = r.read(r.write(tmp_path, r.lines(entries, 0)))["step"]
    assert (step["id"], step["first_n"], step["last_n"]) == ("resp_1", 2, 3)
    assert (step["input_tokens"], step["cache_read_tokens"], step["output_tokens"]) == (60, 40, 7)


def test_the_full_pass_holds_texts_and_native_blocks(tmp_path: Path) -> None:
    entries = [r.meta(), r.message("user", "Grüße"), r.call("c"), r.output("c", "fine")]
    parts = r.read(r.write(tmp_path, r.lines(entries)), full=True)["part"]
    assert [part["type"] for part in parts] == ["text", "call", "result"]
    assert [part["text"] for part in parts] == ["Grüße", '{"cmd": "make deploy"}', "fine"]
    assert json.loads(parts[1]["data"])["call_id"] == "c"


@pytest.mark.parametrize("key", [b'"type":"zzz"', b'"payload":{"type":"message"}'])
def test_a_key_that_stands_twice_is_told(tmp_path: Path, key: bytes) -> None:
    lines = r.lines([r.meta(), r.message("user", "go")])
    rows = r.read(r.write(tmp_path, [lines[0], lines[1][:-2] + b"," + key + b"}\n"]))
    assert [(row["kind"], row["line"], row["n"]) for row in rows["damage"]] == [
        ("duplicate_key", 2, 1)
    ]
    quoted = r.message("user", '{"payload":{"payload":1}}')
    assert "damage" not in r.read(r.write(tmp_path / "b", r.lines([r.meta(), quoted])))


@pytest.mark.parametrize("kind", ["call", "result"])
def test_a_line_of_an_unknown_type_is_no_item_whatever_it_is_called(
    tmp_path: Path, kind: str
) -> None:
    strange = (kind, {"type": "of another client", "call_id": "call_9"})
    rows = r.read(r.write(tmp_path, r.lines([r.meta(), strange])))
    assert [row["kind"] for row in rows["record"]] == ["header", "unknown"]
    assert not rows.get("call") and not rows.get("result")


def test_a_turn_that_starts_again_has_no_place_for_its_end(tmp_path: Path) -> None:
    """A client keeps the first of its ends, wherever the second one stands."""
    entries = [r.PAGINATED, r.start("a"), r.complete("a"), r.start("b"), r.complete("b")]
    for more, ends in (([], {"a", "b"}), ([r.start("b"), r.complete("b")], {"a"})):
        content = memoryview(b"".join(r.lines([*entries, *more], 0)))
        assert set(Actual(read_rollout(0, r.NAME, content)).ends) == ends
