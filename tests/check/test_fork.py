"""`plan --fork`: the repaired session is a new one, the old one keeps every byte."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commandline import sample, suture

from suture.model.packed import zstd

CASES = Path(__file__).parents[1] / "cases"
CLAUDE = "5b1c0f52-7a0e-4a57-9b60-3d1f2c8f9a01"


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def planned(root: Path, *words: str) -> Any:
    plan = root.parent / "plan.json"
    done = suture("plan", root, "--assume", "dead", "-o", plan, *words)
    assert done.code == 1, done
    return json.loads(plan.read_text("utf-8"))


def applied(root: Path) -> dict[str, bytes]:
    """What is there that was not there before; and nothing else has changed."""
    before, journal = tree(root), ("--journal", root.parent / "journal")
    done = suture("apply", root.parent / "plan.json", "--yes", *journal)
    after = tree(root)
    assert before.items() <= after.items(), done
    fresh = {name: after[name] for name in after.keys() - before.keys()}
    assert fresh, done
    return fresh


def undone(root: Path, before: dict[str, bytes]) -> None:
    folders = {p for p in root.rglob("*") if p.is_dir()}
    suture("undo", "--last", "--yes", "--journal", root.parent / "journal")
    assert tree(root) == before
    assert {p for p in root.rglob("*") if p.is_dir()} <= folders


def findings(path: Path) -> list[str]:
    found = suture("check", path, "--assume", "dead", "--format", "json").json["findings"]
    return [item["rule"] for item in found if item["severity"] != "info"]


def in_place(case: str, folder: Path) -> dict[str, bytes]:
    """The same repair without --fork."""
    root = sample(case, folder / "store")
    suture("plan", root, "--assume", "dead", "-o", folder / "plan.json", "--in-place")
    suture("apply", folder / "plan.json", "--yes", "--journal", folder / "journal")
    return tree(root)


@pytest.mark.parametrize("case", ["codex/killed-in-tool", "claude-code/killed-in-tool"])
def test_the_copy_is_the_repair_under_another_id(case: str, tmp_path: Path) -> None:
    root = sample(case, tmp_path / "fork" / "store")
    before = tree(root)
    (unit,) = planned(root, "--fork")["units"]
    first = (root.parent / "plan.json").read_bytes()
    planned(root, "--fork")
    assert (root.parent / "plan.json").read_bytes() == first
    ((name, data),) = applied(root).items()
    (old,), new = before, unit["fork"]["session"]
    old_id = old[-41:-6]  # ends in <id>.jsonl
    old_id = old.removesuffix(".jsonl")[-36:]
    assert name == old.replace(old_id, new)
    (repaired,) = in_place(case, tmp_path / "in-place").values()
    title = b'{"type":"custom-title"' in data
    lines = data.splitlines()[: -1 if title else None]
    assert b"\n".join(lines) + b"\n" == repaired.replace(old_id.encode(), new.encode())
    assert not findings(root / name)
    assert findings(root / old)
    undone(root, before)


def test_a_long_session_is_not_repeated_in_the_plan(tmp_path: Path) -> None:
    root = sample("claude-code/killed-in-tool", tmp_path / "store")
    plan = planned(root, "--fork")
    (edit,) = plan["units"][0]["steps"][-1]["edits"]
    swap, *added = edit["after"]
    (file,) = root.rglob("*.jsonl")
    assert (edit["kind"], edit["origin"]) == ("twin", str(file))
    assert swap["copy"] == [0, file.stat().st_size] and swap["count"] == 11
    assert all("copy" not in part for part in added)
    text = suture("apply", tmp_path / "plan.json", "--dry-run").out
    assert f"made from {file}" in text and "11 times" in text


def test_what_the_model_sees_keeps_the_old_id(tmp_path: Path) -> None:
    root = tmp_path / "store"
    shutil.copytree(CASES / "orphan-call-mid" / "claude" / "before", root)
    (file,) = root.glob("*.jsonl")
    data = file.read_bytes()
    said = b'"input":{"sessionId":"' + CLAUDE.encode() + b'",'
    file.write_bytes(data.replace(b'"input":{', said))
    assert file.read_bytes() != data
    planned(root, "--fork")
    ((name, made),) = applied(root).items()
    assert made.count(said) == 1
    lines = [json.loads(line) for line in made.splitlines()]
    assert {line["sessionId"] for line in lines} == {Path(name).stem}
    assert lines[-1] == {
        "type": "custom-title",
        "customTitle": "session 5b1c0f52 (repaired)",
        "sessionId": Path(name).stem,
    }
    assert not findings(root / name)


def test_what_lies_in_the_folder_of_a_session_comes_along(tmp_path: Path) -> None:
    root = tmp_path / "store"
    shutil.copytree(CASES / "subagent-link" / "no-meta-file" / "before", root)
    before = tree(root)
    (unit,) = planned(root, "--fork")["units"]
    new, fresh = unit["fork"]["session"], applied(root)
    (main,) = (name for name in before if "/" not in name)
    old = Path(main).stem
    below = {name.replace(old, new) for name in before}
    assert below < fresh.keys(), "the meta file that the repair makes is there too"
    assert {Path(name).suffixes[0] for name in fresh.keys() - below} == {".meta"}
    for name, data in fresh.items():
        assert old.encode() not in data or name.startswith(new + ".")
    assert not findings(root / f"{new}.jsonl")
    undone(root, before)


def test_a_compressed_rollout_is_forked_as_a_plain_one(tmp_path: Path) -> None:
    root = sample("codex/killed-in-tool", tmp_path / "store")
    (rollout,) = root.rglob("*.jsonl")
    packed = rollout.with_suffix(".jsonl.zst")
    packed.write_bytes(zstd.compress(rollout.read_bytes()))
    rollout.unlink()
    before = tree(root)
    planned(root, "--fork")
    ((name, data),) = applied(root).items()
    assert name.endswith(".jsonl") and data.startswith(b'{"timestamp"')
    assert not findings(root / name)
    undone(root, before)


def test_a_copy_that_went_on_is_not_undone(tmp_path: Path) -> None:
    root = sample("codex/killed-in-tool", tmp_path / "store")
    planned(root, "--fork")
    ((name, data),) = applied(root).items()
    (root / name).write_bytes(data + b"{}\n")
    done = suture("undo", "--last", "--yes", "--journal", tmp_path / "journal")
    assert done.code == 4 and "moved on" in done.err
    assert (root / name).read_bytes() == data + b"{}\n"


def test_the_same_repair_is_not_written_twice(tmp_path: Path) -> None:
    root = sample("codex/killed-in-tool", tmp_path / "store")
    (old,) = root.rglob("*.jsonl")
    planned(root, "--fork")
    applied(root)
    done = suture("plan", old, "--assume", "dead", "-o", tmp_path / "p.json", "--fork")
    assert done.code == 1 and "is there already: this repair was written before" in done.out


def test_other_stores_say_why_not(tmp_path: Path) -> None:
    root = sample("laxcode/interrupted", tmp_path / "store")
    found = planned(root, "--fork")
    assert not found["units"]
    assert all("only sessions of Claude Code and Codex" in r["reason"] for r in found["refused"])


def case(name: str, folder: Path) -> Path:
    """A call without result in mid-history, and signed thinking."""
    return Path(shutil.copytree(CASES / "orphan-call-mid" / name / "before", folder / "store"))


def open_turn(root: Path) -> Path:
    """The last turn ends in a result that the model has not seen yet."""
    (file,) = root.glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    prompt, call = (next(x for x in lines if text in str(x)) for text in ("go on", "toolu_a"))
    thought = next(x for x in lines if "c2lnbmVkIDI=" in str(x))
    result = [{"type": "tool_result", "tool_use_id": "toolu_b", "content": "deployed"}]
    made = json.loads(json.dumps([prompt, thought, call, prompt]).replace("toolu_a", "toolu_b"))
    made[3]["message"]["content"] = result
    for number, line in enumerate(made):
        if line["type"] == "assistant":
            line["message"]["id"] = "msg_e"
        parent = lines[-1]["uuid"]
        uuid, time = (
            f"0c1b5e1e-5a5a-4c4c-8d8d-0000000000{number:02x}",
            f"2026-03-02T09:01:{number:02}.000Z",
        )
        lines.append(line | {"uuid": uuid, "parentUuid": parent, "timestamp": time})
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return root


def test_signed_thinking_behind_the_change_goes_with_it(tmp_path: Path) -> None:
    root = case("claude-signed-behind", tmp_path)
    (unit,) = planned(root)["units"]
    assert "fork" not in unit and "refused" not in unit
    assert [step["operations"] for step in unit["steps"]] == [["Answer"], ["DropPart"]]
    (unit,) = planned(root, "--fork")["units"]
    assert [step["operations"] for step in unit["steps"]] == [["Answer"], ["DropPart"], ["Fork"]]
    (unit,) = planned(case("claude-signed-by-older-model", tmp_path / "free"))["units"]
    assert [step["operations"] for step in unit["steps"]] == [["Answer"]]


def test_signed_thinking_that_cannot_go_makes_a_new_session_the_default(tmp_path: Path) -> None:
    root = open_turn(case("claude-signed-behind", tmp_path))
    (unit,) = planned(root)["units"]
    assert "its turn is still open" in unit["fork"]["why"]
    assert unit["fork"]["why"] == unit["refused"]
    (unit,) = planned(root, "--in-place")["units"]
    assert "fork" not in unit and "its turn is still open" in unit["refused"]
    told = suture("plan", root, "--assume", "dead", "-o", tmp_path / "p.json", "--in-place").out
    assert "there it cannot be taken out; --fork leaves the old session as it is" in told


def test_signed_thinking_behind_a_compaction_stays(tmp_path: Path) -> None:
    """What changes is not sent any more: a summary stands for it."""
    root = case("claude-signed-behind", tmp_path)
    (file,) = root.glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    at = next(n for n, line in enumerate(lines) if line["message"]["content"] == "go on")
    boundary = {k: v for k, v in lines[at].items() if k != "message"} | {
        "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
        "parentUuid": None, "uuid": "0c1b5e1e-5a5a-4c4c-8d8d-00000000000a",
        "compactMetadata": {"trigger": "manual", "preTokens": 900},
    }  # fmt: skip
    recap = lines[at] | {
        "parentUuid": boundary["uuid"], "uuid": "0c1b5e1e-5a5a-4c4c-8d8d-00000000000b",
        "isCompactSummary": True, "message": {"role": "user", "content": "Trees were counted."},
    }  # fmt: skip
    lines[at]["parentUuid"] = recap["uuid"]
    lines[at:at] = [boundary, recap]
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    done = suture("plan", root, "--assume", "dead", "-o", tmp_path / "plan.json")
    assert done.code in (0, 1), done.err
    (unit,) = json.loads((tmp_path / "plan.json").read_text())["units"]
    assert [step["operations"] for step in unit["steps"]] == [["Answer"]]
    assert "refused" not in unit
