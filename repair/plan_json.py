"""A plan as a file: written the same every time, and read only if it is what it says it is."""

from typing import Any

from msgspec import to_builtins

from suture.model.errors import BadPlan
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Safety
from suture.model.place import Place, Row, Span
from suture.model.plan import (
    Fork,
    Outlook,
    Plan,
    Prefix,
    SessionPlan,
    Skip,
    SourceState,
    Step,
    UnitPlan,
)
from suture.repair.codec import Json, dumps
from suture.repair.edit_json import Before, edit_from, edit_json
from suture.repair.plan_file import SCHEMA, document

MAPPED = "mapped"  # the store that is read by the plan's mapping


def dump(plan: Plan, before: Before | None = None, *, no_content: bool = False) -> bytes:
    """`before` gives the bytes that an edit takes out; a plan that was loaded needs none."""
    number = 0
    units: list[Json] = []
    for unit in plan.units:
        units.append(_unit_json(unit, number, before, no_content))
        number += len(unit.steps)
    made: dict[str, Json] = {
        "schema": SCHEMA,
        "suture": plan.suture,
        "policy": plan.policy.value,
        "assume": plan.assume,
        "units": units,
        "refused": [{"unit": unit, "reason": reason} for unit, reason in plan.refused],
    }
    if plan.answer_text is not None:
        made["answer_text"] = plan.answer_text
    # one file for all units that are read by a mapping
    texts = [unit.mapping for unit in plan.units if unit.mapping is not None]
    return dumps({**made, "mapping": texts[0]} if texts else made)


def _unit_json(unit: UnitPlan, number: int, before: Before | None, no_content: bool) -> Json:
    return {
        "unit": unit.unit,
        "store": unit.store,
        "session": unit.session,
        "paths": list(unit.paths),
        "sources": [
            {
                "path": source.path,
                "size": source.size,
                "sha256": source.sha256,
                "after_path": source.after_path,
                "after_size": source.after_size,
                "after_sha256": source.after_sha256,
            }
            | ({} if source.server is None else {"server": source.server})
            for source in unit.sources
        ],
        "steps": [
            {
                "number": number + index,
                "round": step.round,
                "title": step.title,
                "operations": list(step.operations),
                "safety": step.safety.label,
                "cache_class": step.cache_class,
                "findings": [_finding_json(finding) for finding in step.findings],
                "edits": [edit_json(edit, before, no_content) for edit in step.edits],
            }
            for index, step in enumerate(unit.steps, 1)
        ],
        "skipped": [
            {
                "take": skip.number,
                "title": skip.title,
                "reason": skip.reason,
                "finding": _finding_json(skip.finding),
            }
            for skip in unit.skipped
        ],
        **({"fork": to_builtins(unit.fork)} if unit.fork else {}),
        **({"refused": unit.refused} if unit.refused else {}),
        "sessions": [to_builtins(session) for session in unit.sessions],
        "remaining": list(unit.remaining),
        "prefix": [
            {
                "path": prefix.path,
                "offset": prefix.offset,
                "line": prefix.line,
                "record": prefix.record,
                "tokens_after": prefix.tokens_after,
            }
            for prefix in unit.prefix
        ],
    }


def _finding_json(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity.label,
        "session": finding.session,
        "unit": finding.unit,
        "place": _place_json(finding.place),
        "ids": list(finding.ids),
        "message": finding.message,
        "anchor": finding.anchor,
        "facts": {name: finding.facts[name] for name in sorted(finding.facts)},
        "fingerprint": finding.fingerprint,
    }


def _place_json(place: Place | None) -> Json:
    match place:
        case None:
            return None
        case Span(path, line, offset, length):
            return {"path": path, "line": line, "offset": offset, "length": length}
        case Row(path, table, key):
            return {"path": path, "table": table, "key": key}


# From here on plain JSON is turned into values; the schema has said what is where.


def load(data: bytes) -> Plan:
    found = document(data)
    try:
        return _plan(found)
    except ValueError as error:
        raise BadPlan(f"the plan holds a value that cannot be read: {error}") from error


def _plan(found: Any) -> Plan:
    return Plan(
        suture=found["suture"],
        policy=Policy(found["policy"]),
        assume=found["assume"],
        units=tuple(_unit(unit, found.get("mapping")) for unit in found["units"]),
        refused=tuple((item["unit"], item["reason"]) for item in found["refused"]),
        answer_text=found.get("answer_text"),
    )


def _unit(unit: Any, mapping: str | None) -> UnitPlan:
    return UnitPlan(
        unit=unit["unit"],
        store=unit["store"],
        paths=tuple(unit["paths"]),
        session=unit["session"],
        sources=tuple(SourceState(**source) for source in unit["sources"]),
        steps=tuple(_step(step) for step in unit["steps"]),
        skipped=tuple(
            Skip(_finding(skip["finding"]), skip["reason"], skip["take"], skip["title"])
            for skip in unit["skipped"]
        ),
        remaining=tuple(unit["remaining"]),
        prefix=tuple(Prefix(**prefix) for prefix in unit["prefix"]),
        mapping=mapping if unit["store"] == MAPPED else None,
        sessions=tuple(_session(session) for session in unit["sessions"]),
        fork=_fork(unit["fork"]) if "fork" in unit else None,
        refused=unit.get("refused"),
    )


def _fork(fork: Any) -> Fork:
    return Fork(fork["session"], tuple(fork["paths"]), fork["why"])


def _session(session: Any) -> SessionPlan:
    return SessionPlan(
        session["session"],
        session["client"],
        session["version"],
        _outlook(session["before"]),
        _outlook(session["after"]),
        tuple(session["gains"]),
    )


def _outlook(outlook: Any) -> Outlook:
    return Outlook(**{**outlook, "loses": tuple(outlook["loses"])})


def _step(step: Any) -> Step:
    return Step(
        round=step["round"],
        title=step["title"],
        operations=tuple(step["operations"]),
        safety=Safety[step["safety"].upper()],
        cache_class=step["cache_class"],
        findings=tuple(_finding(finding) for finding in step["findings"]),
        edits=tuple(edit_from(edit) for edit in step["edits"]),
    )


def _finding(finding: Any) -> Finding:
    place = finding["place"]
    kind: Any = Row if place and "table" in place else Span
    return Finding(
        code=finding["code"],
        rule=finding["rule"],
        severity=Severity[finding["severity"].upper()],
        session=finding["session"],
        unit=finding["unit"],
        place=kind(**place) if place else None,
        ids=tuple(finding["ids"]),
        message=finding["message"],
        anchor=finding["anchor"],
        facts=finding["facts"],
    )
