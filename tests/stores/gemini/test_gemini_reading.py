"""What a load of a chat keeps, and what is open in it."""

import json
from pathlib import Path

import pytest
from gemini_chats import HEADER, call, chat, desk, message, reply

from suture.stores import all_stores
from suture.stores._store import Head
from suture.stores.claude_code import STORE as CLAUDE_CODE
from suture.stores.gemini import STORE

SAMPLES = Path(__file__).parents[3] / "sample_data"


def claimants(data: bytes, path: str = "x.jsonl") -> list[str]:
    head = Head(path, data)
    return [store.name for store in all_stores() if store.claims(head)]


def test_a_chat_is_claimed_by_this_store_alone() -> None:
    whole = chat(HEADER, message(1), reply(2, call(1)))
    assert claimants(whole) == ["gemini"]
    assert claimants(chat(message(1), reply(2))) == ["gemini"], "a lost header"
    assert claimants(whole, "chat.txt") == []
    assert not CLAUDE_CODE.claims(Head("x.jsonl", whole)), "both formats have a sessionId"


def test_files_of_other_stores_are_not_claimed() -> None:
    others = [p for p in SAMPLES.rglob("*.jsonl") if "gemini" not in p.parts]
    assert others
    for path in others:
        assert not STORE.claims(Head(str(path), path.read_bytes()[:65536])), path


def test_the_last_writing_counts_at_the_place_of_the_first(tmp_path: Path) -> None:
    data = chat(HEADER, reply(1, call(1, "scheduled")), message(2), reply(1, call(1, "success")))
    with desk(tmp_path, data) as opened:
        found = opened.tables()
    assert [(row["n"], row["state"]) for row in found["call"]] == [(1, "completed")]
    assert [row["n"] for row in found["result"]] == [1]
    kinds = [row["kind"] for row in found["record"]]
    assert kinds == ["header", "call", "prompt", "event"]
    assert [row["sent"] for row in found["record"]] == [False, True, True, False]


def test_going_back_takes_out_the_message_and_all_behind_it(tmp_path: Path) -> None:
    back = {"$rewindTo": "m2"}
    data = chat(HEADER, message(1), reply(2, call(1)), message(3), back, message(4))
    with desk(tmp_path, data) as opened:
        found = opened.tables()
    assert found["call"] == []
    chain = [(row["id"], row["on_chain"]) for row in found["record"] if row["id"]]
    assert chain == [("m1", None), ("m2", False), ("m3", False), ("m4", None)]
    assert not any(row["chained"] for row in found["record"])


def test_going_back_to_an_unknown_message_clears_the_chat(tmp_path: Path) -> None:
    with desk(tmp_path, chat(HEADER, message(1), {"$rewindTo": "gone"}, message(2))) as opened:
        found = opened.tables()["record"]
    assert [row["sent"] for row in found] == [False, False, False, True]
    assert [row["parent"] for row in found if row["chained"]] == ["gone"]


def test_a_checkpoint_takes_the_place_of_all_before(tmp_path: Path) -> None:
    saved = {"$set": {"messages": [message(1), reply(2, call(1)), reply(3, call(2, "error"))]}}
    with desk(tmp_path, chat(HEADER, reply(9, call(9)), saved)) as opened:
        found = opened.tables()
    calls = [(row["n"], row["part"], row["call_id"], row["state"]) for row in found["call"]]
    assert calls == [(2, 2, "c1", "running"), (2, 5, "c2", "failed")]
    assert [(row["part"], row["call_id"]) for row in found["result"]] == [(6, "c2")]
    assert found["record"][1]["on_chain"] is False


@pytest.mark.parametrize(
    ("status", "more", "open_", "outcome", "legal"),
    [
        ("executing", {}, True, "unknown", None),
        ("scheduled", {}, True, "unknown", None),
        ("validating", {}, True, "unknown", None),
        ("awaiting_approval", {}, True, "never_started", "its approval is pending"),
        ("success", {}, False, "recorded", None),
        ("cancelled", {}, False, "recorded", None),
        (None, {"result": [{"functionResponse": {}}]}, False, "recorded", None),
        (None, {}, True, "unknown", None),
        ("dreaming", {}, True, "unknown", "its status 'dreaming' is not known"),
    ],
)
def test_statuses(
    tmp_path: Path,
    status: str | None,
    more: dict[str, object],
    open_: bool,
    outcome: str,
    legal: str | None,
) -> None:
    with desk(tmp_path, chat(HEADER, message(1), reply(2, call(1, status, **more)))) as opened:
        found = opened.tables()
    assert bool(found["result"]) is not open_
    assert found["call"][0]["outcome"] == outcome
    assert found["call"][0]["legal_open"] == legal


def test_an_approval_that_the_conversation_passed_by_is_not_legal(tmp_path: Path) -> None:
    data = chat(HEADER, reply(1, call(1, "awaiting_approval")), message(2))
    with desk(tmp_path, data) as opened:
        assert opened.tables()["call"][0]["legal_open"] is None


def test_a_subagent_names_its_parent(tmp_path: Path) -> None:
    data = chat({**HEADER, "kind": "subagent"}, message(1))
    with desk(tmp_path, data, "chats/parent-1/5b0c.jsonl") as opened:
        row = opened.tables()["session"][0]
    assert (row["kind"], row["parent"]) == ("subagent", "parent-1")
    assert row["id"] == f"parent-1#{HEADER['sessionId']}"


def test_damage_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    odd = json.dumps({**reply(3), "toolCalls": 7}).encode()
    data = chat(HEADER, message(1)) + b'{"id":"m2",\n' + odd + b"\n" + b'{"$se'
    with desk(tmp_path, data) as opened:
        found = opened.tables()
    assert [row["kind"] for row in found["damage"]] == ["bad_json", "bad_shape", "torn_tail"]
    assert [row["problem"] for row in found["record"] if row["id"] == "m3"] == ["shape"]


def test_texts_in_the_full_pass(tmp_path: Path) -> None:
    parts = [{"text": "look "}, {"text": "here"}]
    with desk(tmp_path, chat(HEADER, message(1, text=parts), message(2, text="plain"))) as opened:
        assert [row["text"] for row in opened.tables(full=True)["part"]] == ["look here", "plain"]
