"""`plan --fork` of rollouts that go on from each other: one becomes a new thread, none moves."""

import json
from pathlib import Path
from typing import Any

import rollouts as r
from commandline import suture

Entries = list[tuple[str, r.Json]]
CHILD = "019c0000-0000-7000-8000-000000000002"
ASKED = [r.start("t"), r.message("user", "one")]
KILLED = [r.call("call_a")]


def done(turn: str) -> Entries:
    return [*KILLED, r.output("call_a"), r.complete(turn)]


def lineage(home: Path, base: Entries, child: Entries, segment: bool = False) -> tuple[Path, Path]:
    """The second goes on from where the first had been asked."""
    folder = home / "sessions/2026/03/02"
    shared = r.lines([r.PAGINATED, *ASKED], 0)
    first = r.write(folder, [*shared, *r.lines(base, 3)])
    end = {"end_ordinal_exclusive": 3, "end_byte_offset": len(b"".join(shared))}
    of = {"id": r.THREAD} if segment else {"id": CHILD, "forked_from_id": r.THREAD}
    header = r.meta(history_mode="paginated", **of, history_base={"thread_id": r.THREAD} | end)
    name = f"{r.THREAD}_{CHILD}" if segment else CHILD
    second = r.lines([header, r.start("u"), *child], 3)
    return first, r.write(folder, second, f"rollout-2026-03-02T10-00-00-{name}.jsonl")


def planned(home: Path, *words: str) -> Any:
    plan = home.parent / "plan.json"
    suture("plan", home, "--assume", "dead", "-o", plan, "--fork", *words)
    return json.loads(plan.read_text("utf-8"))


def forked(home: Path, *words: str) -> dict[Path, bytes]:
    """The files that are new; no other has changed."""
    before = {path: path.read_bytes() for path in home.rglob("*.jsonl")}
    (unit,) = planned(home, *words)["units"]
    journal = home.parent / "journal"
    suture("apply", home.parent / "plan.json", "--yes", "--journal", journal)
    after = {path: path.read_bytes() for path in home.rglob("*.jsonl")}
    assert before.items() <= after.items()
    fresh = {path: data for path, data in after.items() if path not in before}
    assert [str(path) for path in fresh] == unit["fork"]["paths"]
    (path,) = fresh
    mine = ("--session", unit["fork"]["session"], "--assume", "dead")
    assert suture("check", path, *mine, "--journal", journal).code == 0
    suture("undo", "--last", "--yes", "--journal", journal)
    assert {path: path.read_bytes() for path in home.rglob("*.jsonl")} == before
    return fresh


def test_a_fork_of_a_fork_goes_on_from_the_same_base(tmp_path: Path) -> None:
    base, child = lineage(tmp_path / "home", done("t"), KILLED)
    ((path, data),) = forked(tmp_path / "home").items()
    old, new = child.read_bytes().splitlines()[0], data.splitlines()[0]
    fresh = path.stem[-36:].encode()
    assert fresh not in (CHILD.encode(), r.THREAD.encode())
    assert new == old.replace(CHILD.encode(), fresh)
    assert json.loads(new)["payload"]["history_base"]["thread_id"] in base.name


def test_a_base_that_is_repaired_leaves_what_goes_on_from_it_alone(tmp_path: Path) -> None:
    base, _ = lineage(tmp_path / "home", KILLED, done("u"))
    ((_, data),) = forked(tmp_path / "home").items()
    assert b"history_base" not in data and len(data) > base.stat().st_size


def test_of_two_that_are_repaired_the_user_names_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lineage(home, KILLED, KILLED)
    ((_, reason),) = (tuple(refused.values()) for refused in planned(home)["refused"])
    assert "changes 2 rollouts that go on from each other: --session names the one" in reason
    ((_, data),) = forked(home, "--session", CHILD).items()
    assert b"history_base" in data


def test_segments_of_one_thread_are_not_forked(tmp_path: Path) -> None:
    for name, ends in (("first", (KILLED, done("u"))), ("second", (done("t"), KILLED))):
        home = tmp_path / name / "home"
        lineage(home, *ends, segment=True)
        found = planned(home)
        assert not found["units"]
        (refused,) = found["refused"]
        assert "segments of one thread hold offsets of each other" in refused["reason"]
