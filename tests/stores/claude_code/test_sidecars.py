"""Subagents, spilled outputs, and which files belong together."""

import json
from pathlib import Path

import pytest
import transcripts as t

from suture.stores._store import Head
from suture.stores.claude_code import STORE

MAIN = [t.prompt("p", None, 0), t.call("c", "p", 1, "toolu_1", "msg_a", "Agent")]


def subagent(folder: Path, last: t.Json, call: str = "toolu_1") -> Path:
    below = f"{t.SESSION}/subagents/agent-a1"
    first = t.prompt("s", None, 2, isSidechain=True, agentId="a1")
    path = t.write(
        folder, first, last | {"isSidechain": True, "agentId": "a1"}, name=f"{below}.jsonl"
    )
    meta = {"agentType": "general", "toolUseId": call}
    (folder / f"{below}.meta.json").write_text(json.dumps(meta))
    return path


def test_a_subagent_is_a_session_of_its_own_below_its_parent(tmp_path: Path) -> None:
    side = subagent(tmp_path, t.reply("done", "s", 3))
    rows = t.read(t.write(tmp_path, *MAIN), side)
    main, sub = rows["session"]
    assert (sub["id"], sub["kind"], sub["parent"]) == (f"{t.SESSION}#a1", "subagent", t.SESSION)
    assert main["unit"] == sub["unit"]
    own = [r for r in rows["record"] if r["session"] == sub["session"]]
    assert [(r["lane"], r["on_chain"], r["names_session"]) for r in own] == [
        ("main", True, None)
    ] * 2


def test_a_subagent_that_ended_proves_the_outcome_of_its_call(tmp_path: Path) -> None:
    subagent(tmp_path, t.reply("done", "s", 3))
    (call,) = t.read(t.write(tmp_path, *MAIN))["call"]
    assert (call["outcome"], call["evidence"]) == ("recorded", "subagents/agent-a1.jsonl")


def test_a_subagent_that_was_cut_off_proves_nothing(tmp_path: Path) -> None:
    subagent(tmp_path, t.assistant("cut", "s", 3, "msg_b", {"type": "text", "text": "Now"}))
    (call,) = t.read(t.write(tmp_path, *MAIN))["call"]
    assert (call["outcome"], call["evidence"]) == ("unknown", None)


def test_a_spilled_output_proves_the_outcome_and_is_an_artifact(tmp_path: Path) -> None:
    spilled = tmp_path / t.SESSION / "tool-results" / "toolu_1.txt"
    text = f"<persisted-output>\nOutput too large. Full output saved to: {spilled}\n\nPreview"
    gone = text.replace("toolu_1.txt", "toolu_2.txt")
    path = t.write(
        tmp_path, *MAIN, t.result("r", "c", 2, "toolu_1", text), t.result("g", "c", 3, "t2", gone)
    )
    spilled.parent.mkdir(parents=True)
    spilled.write_text("all of it")
    rows = t.read(path)
    assert rows["call"][0]["evidence"] == "tool-results/toolu_1.txt"
    assert [row["present"] for row in rows["artifact"]] == [True, False]
    assert rows["artifact"][0]["ref"] == str(spilled)


def test_a_subagent_file_named_alone_is_a_unit(tmp_path: Path) -> None:
    side = subagent(tmp_path, t.reply("done", "s", 3))
    (session,) = t.read(side)["session"]
    assert (session["id"], session["kind"]) == (f"{t.SESSION}#a1", "subagent")


@pytest.mark.parametrize(("owner", "units"), [(t.SESSION, 1), ("gone", 2)])
def test_old_subagent_files_lie_beside_their_main_file(
    tmp_path: Path, owner: str, units: int
) -> None:
    main = t.write(tmp_path, *MAIN)
    first = t.prompt("s", None, 2, isSidechain=True, agentId="1f") | {"sessionId": owner}
    flat = t.write(tmp_path, first, name="agent-1f.jsonl")
    assert len(t.units(main, flat)) == units


def test_damaged_subagents_come_with_the_unit_though_nothing_claims_them(tmp_path: Path) -> None:
    main = t.write(tmp_path, *MAIN)
    torn = t.write(tmp_path, b"", name=f"{t.SESSION}/subagents/workflows/wf_1/agent-b2.jsonl")
    assert t.units(main) == [(str(main), str(torn))]


CLAIMED = {
    "chain": t.dump(t.prompt("p", None, 0)),
    "index": t.dump({"type": "mode", "mode": "normal", "sessionId": t.SESSION}),
    "bom": b"\xef\xbb\xbf" + t.dump(t.prompt("p", None, 0)),
    "nul": b"\0" * 512 + t.dump(t.prompt("p", None, 0)),
    "summary": t.dump({"type": "summary", "summary": "shop", "leafUuid": t.uid("x")}),
}


@pytest.mark.parametrize("data", CLAIMED.values(), ids=CLAIMED.keys())
def test_transcripts_are_known_by_their_content(data: bytes) -> None:
    assert STORE.claims(Head("/x/input.jsonl", data))


FOREIGN = {
    "plugin": b'{"event":"tick","sessionId":"1"}\n',
    "codex": b'{"timestamp":"2026","type":"session_meta","payload":{"id":"x"}}\n',
    "quoted": t.dump({"type": "message", "text": t.dump(t.prompt("p", None, 0)).decode()}),
    "empty": b"",
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN.keys())
def test_other_lines_are_not_claimed(data: bytes) -> None:
    assert not STORE.claims(Head("/x/input.jsonl", data))


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"\xff\xfegarbage"])
def test_garbled_files_are_known_by_their_place(data: bytes) -> None:
    assert STORE.claims(Head(f"/x/projects/-home-dev/{t.SESSION}.jsonl", data))
    assert not STORE.claims(Head(f"/x/elsewhere/{t.SESSION}.jsonl", data))
    assert not STORE.claims(Head(f"/x/projects/-p/{t.SESSION}.jsonl", b'{"event":"tick"}\n'))
