"""Baselines: known findings fail nothing, new ones do, entries that lost theirs are told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commandline import sample, suture


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return sample("claude-code/torn-and-glued", tmp_path / "store")


@pytest.fixture
def baseline(store: Path, tmp_path: Path) -> Path:
    path = tmp_path / "known.json"
    assert suture("check", store).code == 1
    assert suture("check", store, "--write-baseline", path).code == 0
    return path


def told(store: Path, baseline: Path, *options: str) -> Any:
    return suture("check", store, "--baseline", baseline, "--format", "json", *options).json


def edited(path: Path, edit: Callable[[Any], None]) -> None:
    document = json.loads(path.read_text("utf-8"))
    edit(document)
    path.write_text(json.dumps(document), "utf-8")


def test_known_findings_are_told_and_do_not_fail(store: Path, baseline: Path) -> None:
    done = suture("check", store, "--baseline", baseline)
    assert done.code == 0
    assert "all known" in done.out.splitlines()[0]
    assert "(known)" in done.out
    assert suture("check", store, "--baseline", baseline, "--fail-on", "warn").code == 0


def test_known_findings_stay_known_when_lines_move(store: Path, baseline: Path) -> None:
    (log,) = store.glob("*.jsonl")
    before = told(store, baseline)["findings"]
    log.write_bytes(b"\n\n" + log.read_bytes())
    after = told(store, baseline)["findings"]
    known = [item for item in after if item["known"]]
    assert [item["line"] for item in known] == [item["line"] + 2 for item in before]
    assert suture("check", store, "--baseline", baseline).code == 0


def test_a_new_finding_fails_among_known_ones(store: Path, baseline: Path) -> None:
    sample("eventlog/interrupted", store / "new")
    done = suture("check", store, "--baseline", baseline)
    assert done.code == 1
    assert "of them known" in done.out.splitlines()[0]


def test_one_finding_more_of_a_kind_is_new_and_one_less_is_stale(
    store: Path, baseline: Path
) -> None:
    def count(by: int) -> None:
        def change(document: Any) -> None:
            document["findings"][0]["count"] += by

        edited(baseline, change)

    count(+2)
    (stale,) = told(store, baseline)["stale"]
    assert stale["count"] == 2
    count(-3)
    assert not told(store, baseline)["stale"]
    assert suture("check", store, "--baseline", baseline).code == 1


def test_a_repaired_session_leaves_stale_entries(
    store: Path, baseline: Path, tmp_path: Path
) -> None:
    plan, journal = tmp_path / "plan.json", tmp_path / "journal"
    suture("plan", store, "-o", plan)
    assert suture("apply", plan, "--yes", "--journal", journal).code == 0
    entries = json.loads(baseline.read_text("utf-8"))["findings"]
    assert [e["rule"] for e in told(store, baseline)["stale"]] == [e["rule"] for e in entries]
    assert "no longer found" in suture("check", store, "--baseline", baseline).out
    assert not told(store, baseline, "--ignore", "1")["stale"], "it was not asked for"


def test_entries_of_sessions_not_looked_at_are_not_stale(
    store: Path, baseline: Path, tmp_path: Path
) -> None:
    other = sample("eventlog/healthy", tmp_path / "other")
    report = told(other, baseline)
    assert not report["stale"]
    assert "not looked at" in report["notices"][0]


def test_a_baseline_is_the_same_bytes_each_time(store: Path, baseline: Path) -> None:
    first = baseline.read_bytes()
    suture("check", store, "--write-baseline", baseline)
    assert baseline.read_bytes() == first


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema":"suture.baseline/1","findings":[1]}'])
def test_what_is_no_baseline_is_a_usage_error(store: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, "utf-8")
    done = suture("check", store, "--baseline", path)
    assert (done.code, str(path) in done.err) == (2, True)
    assert suture("check", store, "--baseline", tmp_path / "missing.json").code == 2
