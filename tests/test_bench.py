"""The bench: stores are made the same every time, every kind of fault in them is found at its line,
and healthy ones give nothing."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sql_stores
import truth
from click.testing import CliRunner
from gen import TOOLS, Order, make

from suture.cli.main import commands

SEEDS = (1, 2)
KINDS = [
    (tool.name, kind)
    for tool in TOOLS.values()
    for kind in tool.kinds
    if kind not in truth.NOT_SCORED
]


def checked(folder: Path) -> list[dict[str, Any]]:
    done = CliRunner().invoke(
        commands, ["check", str(folder), "--format", "json", "--assume", "dead"]
    )
    assert done.exit_code in (0, 1), done.output
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


@dataclass(frozen=True)
class Made:
    told: dict[str, Any]
    score: truth.Score


def made(folder: Path, tool: str, seed: int, files: int, faults: int) -> Made:
    order = Order(tool, files, 12_000 * files, seed, faults)
    told = make(order, folder)
    return Made(told, truth.score(truth.faults_in(told), checked(folder)))


@pytest.fixture(scope="module")
def one_fault_a_file(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Made]]:
    return {
        name: [
            made(tmp_path_factory.mktemp(name) / "store", name, seed, len(tool.kinds), faults=1)
            for seed in SEEDS
        ]
        for name, tool in TOOLS.items()
    }


@pytest.mark.parametrize(("tool", "kind"), KINDS)
def test_fault_is_found_at_its_line(
    one_fault_a_file: dict[str, list[Made]], tool: str, kind: str
) -> None:
    scores = [result.score for result in one_fault_a_file[tool]]
    assert [score.injected[kind] for score in scores] == [1] * len(SEEDS)
    assert [place for s in scores for place in s.missed if place.startswith(f"{kind} ")] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_is_told_that_has_no_cause(
    one_fault_a_file: dict[str, list[Made]], tool: str
) -> None:
    assert [place for result in one_fault_a_file[tool] for place in result.score.wrong] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_faults_are_found_beside_each_other(tmp_path: Path, tool: str) -> None:
    score = made(tmp_path / "store", tool, 3, len(TOOLS[tool].kinds), faults=4).score
    assert (score.missed, score.wrong) == ([], [])
    assert score.injected.total() > 3 * len(TOOLS[tool].kinds)


@pytest.mark.parametrize("tool", TOOLS)
def test_healthy_stores_give_nothing(tmp_path: Path, tool: str) -> None:
    result = made(tmp_path / "store", tool, 4, 12, faults=0)
    assert result.score.told == 0, result.score.wrong


@pytest.mark.parametrize("tool", TOOLS)
def test_the_same_order_gives_the_same_bytes(tmp_path: Path, tool: str) -> None:
    one, two = (made_bytes(tmp_path / name, tool, seed=5) for name in ("one", "two"))
    assert one == two
    assert one != made_bytes(tmp_path / "three", tool, seed=6)


def made_bytes(folder: Path, tool: str, seed: int) -> dict[str, bytes]:
    make(Order(tool, 4, 50_000, seed, faults=3), folder)
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.jsonl")}


def test_a_missing_and_a_baseless_finding_are_counted() -> None:
    faults = {"a.jsonl": [{"kind": "torn_tail", "line": 9, "id": None}], "b.jsonl": []}
    told = {"severity": "error", "rule": "torn-tail", "ids": [], "line": 8}
    near, elsewhere = {**told, "path": "/x/a.jsonl"}, {**told, "path": "/x/b.jsonl"}
    score = truth.score(faults, [near, elsewhere])
    assert (score.recall, score.precision) == (0.0, 0.0)
    assert truth.score(faults, [{**near, "line": 9}]).recall == 1.0


@pytest.mark.slow
def test_bench_prints_its_tables(tmp_path: Path) -> None:
    script = Path(__file__).parent.parent / "bench/run.py"
    done = subprocess.run(
        [
            sys.executable,
            script,
            "--mb",
            "0.1",
            "--files",
            "2",
            "--repeat",
            "1",
            "--keep",
            tmp_path,
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for measure in ("peak memory", "`sha256sum`", "`json.loads`", "DuckDB", "recall", "50 KB"):
        assert measure in done.stdout


def test_readme_names_the_accepted_rules() -> None:
    readme = (Path(__file__).parent.parent / "bench/README.md").read_text("utf-8")
    for kind, rules in truth.ACCEPTED.items():
        (row,) = (line for line in readme.splitlines() if line.startswith(f"| `{kind}` |"))
        assert row.endswith(f"| {', '.join(rules)} |")
    assert {kind for _, kind in KINDS} == set(truth.ACCEPTED)


@pytest.mark.parametrize("store", sql_stores.STORES)
def test_sql_stores_are_healthy_and_the_same_each_time(store: str, tmp_path: Path) -> None:
    for name in ("one.db", "two.db"):
        sql_stores.make(store, tmp_path / name, 600, 60)
    dumps = []
    for name in ("one.db", "two.db"):
        with closing(sqlite3.connect(tmp_path / name)) as database:
            dumps.append(list(database.iterdump()))
    assert dumps[0] == dumps[1]
    mapping = Path(__file__).parents[1] / "sample_data" / "seqstore" / "seqstore.toml"
    more = ["--map", str(mapping)] if store == "seqstore" else []
    words = ["check", str(tmp_path / "one.db"), *more, "--format", "json"]
    done = CliRunner().invoke(commands, words)
    told = json.loads(done.stdout)
    assert told["findings"] == []
    assert told["summary"]["sessions"] > 5
