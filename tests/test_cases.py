"""The law of every rule and repair, held over each folder tests/cases/<rule>/<case>/.

A case is `before/` (a store), `expected.json` and, where a repair's bytes are decided, `after/`.
`expected.json`: "findings" lists all findings as "PATH:LINE severity rule ids…" (rows:
"PATH TABLE KEY severity rule ids…"); optional "policy" (answer), "assume" (dead), "take" (numbers),
"remaining" (rules a second check finds; default none above info is checked by the plan itself).
"map" names a mapping file, from the root of the repository. A `.db.sql` or `.sqlite.sql` file
stands for the SQLite database it makes. A case whose name starts with `near-miss` shows what the
rule must not report.
"""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from suture import api
from suture.model.finding import Finding
from suture.model.operation import Policy
from suture.model.place import Row, Span
from suture.model.plan import Plan
from suture.model.scope import Scope, Wanted

CASES = sorted(p.parent for p in (Path(__file__).parent / "cases").rglob("expected.json"))
ROOT = Path(__file__).parent.parent
NOW = 1_800_000_000_000_000
DATABASES = (".db", ".sqlite")
LOGS = ("-wal", "-journal")


def tree(root: Path) -> dict[str, bytes | str]:
    return {
        p.relative_to(root).as_posix(): dump(p) if is_database(p) else p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file()
    }


def is_database(path: Path) -> bool:
    """Whose rows may be compared: with a log beside it the bytes are, which opening it changes."""
    if path.suffix not in DATABASES or any(Path(f"{path}{side}").exists() for side in LOGS):
        return False
    return path.read_bytes().startswith(b"SQLite format 3\0")


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())


def build(source: Path, target: Path) -> Path:
    shutil.copytree(source, target)
    scripts = (script for kind in DATABASES for script in target.rglob(f"*{kind}.sql"))
    for script in list(scripts):
        with closing(sqlite3.connect(script.with_suffix(""))) as connection:
            connection.executescript(script.read_text("utf-8"))
        script.unlink()
    return target


def told(finding: Finding, root: Path) -> str:
    match finding.place:
        case Span(path, line, _, _):
            place = f"{Path(path).relative_to(root).as_posix()}:{line}"
        case Row(path, table, key):
            place = f"{Path(path).relative_to(root).as_posix()} {table} {key}"
        case _:
            place = Path(finding.unit).relative_to(root).as_posix()
    return " ".join([place, finding.severity.label, finding.rule, *finding.ids])


def fingerprints(scope: Scope, journal: Path) -> Counter[str]:
    return Counter(i.finding.fingerprint for i in api.check(scope, journal).findings)


def planned(scope: Scope, wanted: Wanted, output: Path) -> tuple[Plan, bytes]:
    return api.plan(scope, wanted, output), output.read_bytes()


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.parent.name}/{c.name}")
def test_case(case: Path, tmp_path: Path) -> None:
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text("utf-8"))
    root = build(case / "before", tmp_path / "store")
    mapping = str(ROOT / expected["map"]) if "map" in expected else None
    scope = Scope((str(root),), assume=expected.get("assume", "dead"), now=NOW, map_file=mapping)
    wanted = Wanted(Policy(expected.get("policy", "answer")), take=expected.get("take", ()))
    journal = tmp_path / "journal"
    before = tree(root)

    found = [told(item.finding, root) for item in api.check(scope, journal).findings]
    assert found == expected["findings"]

    plan, first = planned(scope, wanted, tmp_path / "plan.json")
    assert planned(scope, wanted, tmp_path / "plan2.json")[1] == first, "planning is deterministic"
    api.read_plan(tmp_path / "plan.json")  # raises for a plan that is not what its schema says
    assert tree(root) == before, "check and plan write nothing"
    if not any(unit.steps for unit in plan.units):
        assert not (case / "after").exists(), "a case with after/ has a repair"
        return

    applied = api.apply(tmp_path / "plan.json", journal)
    assert applied.exit_code == 0, applied.outcomes
    if (case / "after").exists():
        assert tree(root) == tree(build(case / "after", tmp_path / "after"))
    remaining = Counter(key for unit in plan.units for key in unit.remaining)
    assert fingerprints(scope, journal) == remaining, "a second check finds exactly `remaining`"
    if "remaining" in expected:
        left = [i.finding.rule for i in api.check(scope, journal).findings]
        assert left == expected["remaining"]

    api.undo(applied.journal, journal)
    assert tree(root) == before, "undo gives every byte back"


@pytest.mark.parametrize("rule", api.rules(), ids=lambda r: str(r.name))
def test_every_rule_has_a_page_a_case_that_fires_and_a_near_miss(rule: Any) -> None:
    page = api.rule_page(rule)
    for heading in ("## Why it matters", "## Example", "## Repair"):
        assert heading in page, heading
    cases = [case for case in CASES if case.parent.name == rule.name]
    fires = {case.name: _fires(case, rule.name) for case in cases}
    assert any(fired for name, fired in fires.items() if not name.startswith("near-miss"))
    misses = [fired for name, fired in fires.items() if name.startswith("near-miss")]
    assert misses and not any(misses)


def _fires(case: Path, rule: str) -> bool:
    findings = json.loads((case / "expected.json").read_text("utf-8"))["findings"]
    return any(f" {rule}" in line for line in findings)
