"""Rows that stay in Arrow are judged as those that are written into DuckDB."""

import shutil
from pathlib import Path

import pytest

from suture import api
from suture.model.report import Report
from suture.model.scope import Scope

CASES = Path(__file__).parents[1] / "cases"
RULES: dict[str, list[Path]] = {}
for _case in sorted(p for p in CASES.glob("*/*") if any(p.rglob("before/**/*.jsonl"))):
    RULES.setdefault(_case.parent.name, []).append(_case)
EVERY = 4  # of the cases of a rule, one in so many


def judged(store: Path, few: int, effects: tuple[tuple[str, str], ...] = ()) -> Report:
    """`few`: rows of a table from which they are lent."""
    scope = Scope((str(store),), assume="dead", now=1_800_000_000_000_000, side_effects=effects)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("suture.db.database._FEW", few)
        return api.check(scope)


@pytest.mark.parametrize("rule", RULES)
def test_findings_are_the_same(rule: str, tmp_path: Path) -> None:
    for case in RULES[rule][::EVERY]:
        shutil.copytree(case / "before", tmp_path / case.name)
    assert judged(tmp_path, 1) == judged(tmp_path, 10**9)


def test_side_effects_can_be_told_of_lent_calls(tmp_path: Path) -> None:
    shutil.copytree(CASES / "orphan-call-tail/claude-answer/before", tmp_path / "store")
    (item,) = judged(tmp_path, 1, (("Bash", "external"),)).findings
    assert item.finding.facts["side_effect"] == "external"
