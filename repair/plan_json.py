"""A plan as a file: written the same every time, and read only if it is what it says it is."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from suture.model.edit import Copy, Edit, FileEdit, RowEdit, SpanEdit, Value
from suture.model.errors import BadPlan
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Safety
from suture.model.place import Place, Row, Span
from suture.model.plan import Plan, Prefix, Skip, SourceState, Step, UnitPlan
from suture.repair.codec import Json, bytes_from, bytes_json, dumps, value_from, value_json
from suture.schemas import text

SCHEMA = "suture.plan/1"
MAPPED = "mapped"  # the store that is read by the plan's mapping
INLINE = 4096  # bytes that go are shown up to this length, the digest stands for the rest

Before = Callable[[SpanEdit], bytes | memoryview]


def dump(plan: Plan, before: Before | None = None, *, no_content: bool = False) -> bytes:
    """`before` gives the bytes that an edit takes out; a plan that was loaded needs none."""
    number = 0
    units: list[Json] = []
    for unit in plan.units:
        units.append(_unit_json(unit, number, before, no_content))
        number += len(unit.steps)
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "suture": plan.suture,
        "policy": plan.policy.value,
        "assume": plan.assume,
        "units": units,
        "refused": [{"unit": unit, "reason": reason} for unit, reason in plan.refused],
    }
    # one file for all units that are read by a mapping
    texts = [unit.mapping for unit in plan.units if unit.mapping is not None]
    return dumps({**document, "mapping": texts[0]} if texts else document)


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
                "edits": [_edit_json(edit, before, no_content) for edit in step.edits],
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


def _edit_json(edit: Edit, before: Before | None, no_content: bool) -> Json:
    match edit:
        case SpanEdit():
            return _span_json(edit, before, no_content)
        case RowEdit():
            return {
                "kind": "row",
                "path": edit.path,
                "table": edit.table,
                "key": _row_json(edit.key),
                "before": None if edit.before is None else _row_json(edit.before),
                "after": None if edit.after is None else _row_json(edit.after),
            }
        case FileEdit():
            digest = edit.before_sha256 or _digest(edit.before)
            shown = edit.before is not None and len(edit.before) <= INLINE and not no_content
            return {
                "kind": "file",
                "path": edit.path,
                "before_sha256": digest,
                "before": bytes_json(edit.before) if shown and edit.before is not None else None,
                "after": None if edit.after is None else bytes_json(edit.after),
            }


def _span_json(edit: SpanEdit, before: Before | None, no_content: bool) -> Json:
    out: dict[str, Json] = {
        "kind": "bytes",
        "path": edit.path,
        "offset": edit.offset,
        "length": edit.length,
    }
    if before is None:
        out["before_sha256"] = edit.before_sha256
    else:
        data = before(edit)
        out["before_sha256"] = sha256(data).hexdigest()
        if len(data) <= INLINE and not no_content:
            out["before"] = bytes_json(bytes(data))
    out["after"] = [
        {"copy": [part.offset, part.length]} if isinstance(part, Copy) else bytes_json(part)
        for part in edit.after
    ]
    return out


def _row_json(row: Mapping[str, Value]) -> dict[str, Json]:
    return {name: value_json(value) for name, value in row.items()}


def _digest(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


# From here on plain JSON is turned into values; the schema has said what is where.


def load(data: bytes) -> Plan:
    document = _parse(data)
    _check(document)
    try:
        return _plan(document)
    except ValueError as error:
        raise BadPlan(f"the plan holds a value that cannot be read: {error}") from error


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise BadPlan("not a plan: nested too deep") from None
    except ValueError as error:
        raise BadPlan(f"not a plan: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"a key stands twice in one object, among {', '.join(sorted(found))[:80]}")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _check(document: Any) -> None:
    if not isinstance(document, dict) or "schema" not in document:
        raise BadPlan("not a plan: it names no schema")
    if document["schema"] != SCHEMA:
        name, maker = str(document["schema"])[:80], str(document.get("suture", "unknown"))[:80]
        raise BadPlan(
            f"the plan was made by suture {maker} as {name}, this one reads {SCHEMA}; plan again"
        )
    first = next(iter(_validator().iter_errors(document)), None)
    if first is not None:
        while first.context:  # the branch that was meant, not the choice itself
            first = first.context[0]
        raise BadPlan(f"the plan is not valid at {first.json_path}: {first.message[:200]}")


@cache
def _validator() -> Any:
    # Late: loading it takes longer than a small check, and only reading a plan needs it.
    import jsonschema  # type: ignore[import-untyped]  # noqa: PLC0415

    return jsonschema.Draft202012Validator(json.loads(text("plan.schema.json")))


def _plan(document: Any) -> Plan:
    return Plan(
        suture=document["suture"],
        policy=Policy(document["policy"]),
        assume=document["assume"],
        units=tuple(_unit(unit, document.get("mapping")) for unit in document["units"]),
        refused=tuple((item["unit"], item["reason"]) for item in document["refused"]),
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
    )


def _step(step: Any) -> Step:
    return Step(
        round=step["round"],
        title=step["title"],
        operations=tuple(step["operations"]),
        safety=Safety[step["safety"].upper()],
        cache_class=step["cache_class"],
        findings=tuple(_finding(finding) for finding in step["findings"]),
        edits=tuple(_edit(edit) for edit in step["edits"]),
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


def _edit(edit: Any) -> Edit:
    match edit["kind"]:
        case "bytes":
            after = tuple(
                Copy(*part["copy"]) if "copy" in part else bytes_from(part)
                for part in edit["after"]
            )
            return SpanEdit(
                edit["path"], edit["offset"], edit["length"], after, edit["before_sha256"]
            )
        case "row":
            before, after_row = edit["before"], edit["after"]
            return RowEdit(
                edit["path"],
                edit["table"],
                _row(edit["key"]),
                None if before is None else _row(before),
                None if after_row is None else _row(after_row),
            )
        case _:
            before, after_bytes = edit["before"], edit["after"]
            return FileEdit(
                edit["path"],
                None if before is None else bytes_from(before),
                None if after_bytes is None else bytes_from(after_bytes),
                edit["before_sha256"],
            )


def _row(row: Any) -> dict[str, Value]:
    return {name: value_from(value) for name, value in row.items()}
