"""The cache: what did not change since a clean check is skipped, anything else is judged."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from commandline import sample, suture

from suture import cache as module
from suture import validators

HOUR = 3_600_000_000_000


def age(root: Path) -> None:
    """Older than the two seconds in which times are not trusted."""
    then = time.time_ns() - HOUR
    for path in root.rglob("*"):
        os.utime(path, ns=(then, then))


@pytest.fixture(params=["claude-code/healthy", "codex/healthy", "eventlog/healthy"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = sample(request.param, tmp_path / "store")
    age(root)
    return root


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def check(store: Path, cache: Path, *options: str | Path) -> Any:
    told = suture("check", store, "--cache", cache, "--format", "json", *options).json
    return told["summary"]


def unchanged(store: Path, cache: Path, *options: str | Path) -> int:
    count: int = check(store, cache, *options)["unchanged"]
    return count


def test_clean_units_are_judged_once(store: Path, cache: Path) -> None:
    first = check(store, cache)
    assert (first["unchanged"], first["sessions"] > 0) == (0, True)
    second = check(store, cache)
    assert (second["unchanged"] > 0, second["sessions"], second["records"]) == (True, 0, 0)
    assert "unchanged since a clean check" in suture("check", store, "--cache", cache).out


def test_a_fresh_checkout_of_the_same_bytes_is_unchanged(store: Path, cache: Path) -> None:
    check(store, cache)
    for path in [p for p in store.rglob("*") if p.is_file()]:
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)
    assert unchanged(store, cache) > 0


def test_every_file_of_a_unit_counts(tmp_path: Path, cache: Path) -> None:
    store = sample("claude-code/healthy", tmp_path / "store")
    age(store)
    check(store, cache)
    every = unchanged(store, cache)
    for path in sorted(p for p in store.rglob("*") if p.is_file()):
        data = path.read_bytes()
        path.write_bytes(data.replace(b"e", b"f", 1))
        assert unchanged(store, cache) == every - 1, path
        path.write_bytes(data)
        check(store, cache)


def test_a_new_file_beside_a_session_counts(tmp_path: Path, cache: Path) -> None:
    store = sample("claude-code/healthy", tmp_path / "store")
    check(store, cache)
    every = unchanged(store, cache)
    (folder,) = store.glob("*/*/subagents")
    (folder.parent / "tool-results").mkdir()
    (folder.parent / "tool-results/toolu_1.txt").write_text("late", "utf-8")
    assert unchanged(store, cache) == every - 1


def test_a_change_within_the_grain_of_the_clock_is_seen(tmp_path: Path, cache: Path) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    (log,) = store.glob("*.jsonl")
    now = time.time_ns()
    os.utime(log, ns=(now, now))
    check(store, cache)
    with log.open("r+b") as file:
        file.seek(-2, os.SEEK_END)
        file.write(b"!")
    os.utime(log, ns=(now, now))
    assert unchanged(store, cache) == 0
    assert suture("check", store, "--cache", cache).code == 1


def test_damage_is_told_every_time(tmp_path: Path, cache: Path) -> None:
    for name in ("eventlog/interrupted", "claude-code/torn-and-glued", "codex/killed-in-tool"):
        store = sample(name, tmp_path / name)
        age(store)
        first = suture("check", store, "--cache", cache, "--info")
        assert (first.code, first) == (1, suture("check", store, "--cache", cache, "--info"))


def test_a_unit_that_became_damaged_leaves_the_cache(tmp_path: Path, cache: Path) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    check(store, cache)
    (log,) = store.glob("*.jsonl")
    whole = log.read_bytes()
    log.write_bytes(whole[:-20])
    assert check(store, cache)["error"] > 0
    log.write_bytes(whole)
    assert unchanged(store, cache) == 0
    assert unchanged(store, cache) == 1


def test_notes_that_fail_are_not_skipped(tmp_path: Path, cache: Path) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    (log,) = store.glob("*.jsonl")
    log.write_bytes(log.read_bytes().rstrip(b"\n"))
    words = ("check", store, "--cache", cache)
    notes = suture(*words, "--format", "json").json["summary"]["info"]
    assert notes and unchanged(store, cache) == 1
    for _ in range(2):
        assert suture(*words, "--fail-on", "info").code == 1


@pytest.mark.parametrize(
    "options",
    [("--fail-on", "warn"), ("--ignore", "9"), ("--severity", "903=error"), ("--assume", "dead")],
)
def test_another_configuration_empties_it(
    tmp_path: Path, cache: Path, options: tuple[str, ...]
) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    check(store, cache)
    assert unchanged(store, cache, *options) == 0
    assert unchanged(store, cache, *options) == 1


def test_another_version_or_rule_set_empties_it(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    check(store, cache)
    with monkeypatch.context() as patch:
        patch.setattr(module, "__version__", "9.9")
        assert unchanged(store, cache) == 0
    check(store, cache)
    rules = sample("../validators", tmp_path / "rules")
    (rules / "large.py").write_text("changed", "utf-8")
    monkeypatch.setattr(validators, "__path__", [str(rules)])
    before = module.environment(None)
    (rules / "large.py").write_text("changed again", "utf-8")
    assert module.environment(None) != before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"environment":1}', "null", "whole"])
def test_a_broken_cache_counts_as_empty(tmp_path: Path, cache: Path, text: str) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    check(store, cache)
    file = cache / "check.json"
    document = json.loads(file.read_text("utf-8"))
    document["units"] = {name: {"paths": []} for name in document["units"]}
    file.write_text(json.dumps(document) if text == "whole" else text, "utf-8")
    assert unchanged(store, cache) == 0
    assert unchanged(store, cache) == 1
    assert [path.name for path in cache.iterdir()] == ["check.json"], "no half-written file stays"


def test_a_cache_that_cannot_be_kept_is_told_and_changes_nothing(tmp_path: Path) -> None:
    store = sample("eventlog/healthy", tmp_path / "store")
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    done = suture("check", store, "--cache", blocked / "below")
    assert done.code == 0
    assert f"cache {blocked / 'below'}" in done.err


def test_an_open_call_is_looked_at_each_time(tmp_path: Path, cache: Path) -> None:
    """Its session may be live now and dead tomorrow, with no byte changed."""
    store = sample("eventlog/interrupted", tmp_path / "store")
    age(store)
    assert unchanged(store, cache, "--assume", "live") == 0
    assert unchanged(store, cache, "--assume", "live") == 0
