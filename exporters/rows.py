"""Findings and plan steps as rows of the exported tables."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from suture.db import Database
from suture.model.edit import BytesEdit
from suture.model.finding import Finding
from suture.model.plan import Plan, Step, UnitPlan


def public_ids(db: Database) -> dict[Any, str]:
    """`claude_code:ID` of each session key; a copy in another file gets `~2` and so on."""
    seen: Counter[str] = Counter()
    public = {}
    for row in db.rows("select session, store, id from session order by session"):
        name = f"{row.store.replace('-', '_')}:{row.id}"
        seen[name] += 1
        public[row.session] = name if seen[name] == 1 else f"{name}~{seen[name]}"
    return public


def finding_rows(db: Database, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    public = public_ids(db)
    seen: Counter[str] = Counter()
    rows = []
    for finding in findings:
        seen[finding.fingerprint] += 1
        again = seen[finding.fingerprint] - 1
        n = finding.facts.get("n")
        rows.append(
            {
                "finding_id": finding.fingerprint + (f"-{again}" if again else ""),
                "session_id": public.get(finding.facts.get("session")),
                "code": finding.code,
                "severity": finding.severity.label,
                "seq_from": n,
                "seq_to": n,
                "message": f"{finding.rule}: {finding.message}",
                "evidence": "recorded",
                "is_repairable": False,
            }
        )
    return rows


def plan_rows(plan: Plan) -> list[dict[str, Any]]:
    return [
        _plan_row(unit, number, step)
        for unit in plan.units
        for number, step in enumerate(unit.steps, 1)
    ]


def _plan_row(unit: UnitPlan, number: int, step: Step) -> dict[str, Any]:
    spans = [edit for edit in step.edits if isinstance(edit, BytesEdit)]
    path = step.edits[0].path if step.edits else unit.paths[0]
    source = next((s for s in unit.sources if s.path == path), None)
    prefix = next((p for p in unit.prefix if p.path == path), None)
    return {
        "unit": unit.unit,
        "session": next((f.session for f in step.findings), unit.session),
        "step": number,
        "round": step.round,
        "rules": [finding.rule for finding in step.findings],
        "finding_ids": [finding.fingerprint for finding in step.findings],
        "title": step.title,
        "operations": list(step.operations),
        "safety": step.safety.label,
        "cache_class": step.cache_class,
        "n_edits": len(step.edits),
        "first_changed_byte": min((e.offset for e in spans if e.path == path), default=None),
        "path": path,
        "sha256_before": source.sha256 if source else None,
        "sha256_after": source.after_sha256 if source else None,
        "tokens_after": prefix.tokens_after if prefix else None,
    }
