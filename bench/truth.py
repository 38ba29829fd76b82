"""How well the findings of `suture check --format json` match the faults that were put in.

    python bench/truth.py OUT.truth.json REPORT.json

A fault is found when a rule that is accepted for its kind names its line. A finding above info is
wrong only if neither its line nor any of its ids has to do with a fault of that file: a cut line
also loses a result, and saying so is right.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ACCEPTED: dict[str, tuple[str, ...]] = {
    "torn_tail": ("torn-tail",),
    "malformed_mid": ("bad-json", "splice"),
    "glued": ("missing-newline", "splice"),
    "nul_run": ("nul-region",),
    "bad_utf8": ("invalid-utf8",),
    "lone_surrogate": ("lone-surrogate",),
    "orphan_call": ("orphan-call-tail", "orphan-call-mid", "partial-parallel"),
    "orphan_result": ("orphan-result", "synthetic-orphan"),
    "id_mismatch": ("orphan-result",),
    "dup_result": ("duplicate-result",),
    "result_before_call": ("result-before-call",),
    "dup_record": ("dup-block", "duplicate-event", "ordinal-duplicate"),
    "dup_uuid_conflict": ("id-collision",),
    "missing_parent": ("dangling-parent",),
    "parent_cycle": ("cycle",),
    "meta_missing": ("session-meta-missing",),
    "nul_tool_name": ("malformed-call",),
    "bad_args": ("malformed-call",),
    "ord_dup": ("ordinal-duplicate",),
    "ord_swap": ("ordinal-backwards",),
    "ord_missing_tail": ("ordinal-missing",),
}
NOT_SCORED = ("ord_gap",)  # a gap alone does no harm; that it is told is welcome

Faults = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Score:
    injected: Counter[str]
    found: Counter[str]
    missed: list[str]  # "kind path:line"
    told: int  # findings above info
    wrong: list[str]  # "rule path:line"

    @property
    def recall(self) -> float:
        total = self.injected.total()
        return self.found.total() / total if total else 1.0

    @property
    def precision(self) -> float:
        return 1 - len(self.wrong) / self.told if self.told else 1.0

    def recall_of(self, kind: str) -> float:
        return self.found[kind] / self.injected[kind]


def faults_in(truth: dict[str, Any]) -> Faults:
    return {path: facts["faults"] for path, facts in truth["files"].items()}


def score(faults: Faults, findings: list[dict[str, Any]]) -> Score:
    injected: Counter[str] = Counter()
    found: Counter[str] = Counter()
    missed: list[str] = []
    by_path: dict[str, list[dict[str, Any]]] = {path: [] for path in faults}
    for finding in findings:
        by_path[_known_path(finding["path"], faults)].append(finding)
    for path, injuries in faults.items():
        named = {(finding["rule"], finding["line"]) for finding in by_path[path]}
        for fault in injuries:
            kind, line = fault["kind"], fault["line"]
            if kind in NOT_SCORED:
                continue
            injected[kind] += 1
            if any((rule, line) in named for rule in ACCEPTED[kind]):
                found[kind] += 1
            else:
                missed.append(f"{kind} {path}:{line}")
    above_info = [f for f in findings if f["severity"] != "info"]
    wrong = [
        f"{finding['rule']} {finding['path']}:{finding['line']}"
        for finding in above_info
        if not _has_to_do(finding, faults[_known_path(finding["path"], faults)])
    ]
    return Score(injected, found, missed, len(above_info), wrong)


def _known_path(path: str, faults: Faults) -> str:
    """A finding names the file as it was typed, the truth as it lies in the store."""
    parts = Path(path).parts
    tails = ("/".join(parts[n:]) for n in range(len(parts)))
    return next(tail for tail in tails if tail in faults)


def _has_to_do(finding: dict[str, Any], faults: list[dict[str, Any]]) -> bool:
    ids = set(finding["ids"])
    return any(fault["line"] == finding["line"] or fault["id"] in ids for fault in faults)


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("truth", type=Path)
    parser.add_argument("report", type=Path)
    given = parser.parse_args()
    truth = json.loads(given.truth.read_text("utf-8"))
    report = json.loads(given.report.read_text("utf-8"))
    result = score(faults_in(truth), report["findings"])
    print(f"recall {result.recall:.3f}, precision {result.precision:.3f}")
    for kind, count in sorted(result.injected.items()):
        print(f"  {kind:20} {result.found[kind]} of {count}")
    for name, examples in (("missed", result.missed), ("wrong", result.wrong)):
        for example in examples:
            print(f"{name}: {example}")


if __name__ == "__main__":
    _main()
