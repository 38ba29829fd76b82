"""A report as SARIF 2.1.0, for code scanning and editors."""

import json
from collections.abc import Mapping
from typing import Any

from suture.exporters.cases import is_packed, path_of, uri
from suture.exporters.frame import Frame
from suture.model.finding import Severity
from suture.model.place import Row, Span
from suture.model.report import Report, Reported, RulePage
from suture.model.text import printable

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVEL = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "note"}
_FINGERPRINT = "suture/v1"


def render(report: Report, frame: Frame) -> str:
    codes = sorted({item.finding.code for item in report.findings})
    index = {code: position for position, code in enumerate(codes)}
    driver = {
        "name": "suture",
        "version": frame.version,
        "rules": [_rule(frame.page(code)) for code in codes],
    }
    notes = [*report.notices, *(_stale(e.rule, e.session) for e in report.stale)]
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": _plain(note)}} for note in notes
                ],
            }
        ],
        "results": [_result(item, index, frame.root) for item in report.findings],
        "properties": {"verdict": report.verdict, "summary": dict(report.summary)},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _stale(rule: str, session: str | None) -> str:
    return f"no longer found, but in the baseline: {rule} in session {session or '(none)'}"


def _rule(page: RulePage) -> dict[str, Any]:
    short, _, rest = page.text.partition("\n\n")
    return {
        "id": page.code,
        "name": page.rule,
        "shortDescription": {"text": " ".join(short.split())},
        "fullDescription": {"text": rest.strip() or short},
        "help": {"text": page.text, "markdown": page.text},
        "defaultConfiguration": {"level": _LEVEL[page.severity]},
    }


def _result(item: Reported, index: Mapping[str, int], root: str) -> dict[str, Any]:
    finding = item.finding
    text = finding.message + (f"; on resume: {item.on_resume}" if item.on_resume else "")
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVEL[finding.severity],
        "message": {"text": _plain(text)},
        "locations": [_location(item, root)],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
        "properties": {
            "session": finding.session,
            "ids": list(finding.ids),
            "repairs": list(item.repairs),
        },
    }
    if item.known:
        result["baselineState"] = "unchanged"
        result["suppressions"] = [{"kind": "external", "justification": "in the baseline"}]
    return result


def _location(item: Reported, root: str) -> dict[str, Any]:
    finding = item.finding
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(path_of(finding), root)}}
    match finding.place:
        # Lines and offsets of what a compressed file holds are not those of the file.
        case Span(path, line, offset, length) if not is_packed(path):
            physical["region"] = {"startLine": line, "byteOffset": offset, "byteLength": length}
        case Span(_, line, offset, length):
            unpacked = {"line": line, "byteOffset": offset, "byteLength": length}
            physical["properties"] = {"unpacked": unpacked}
        case Row(_, table, key):
            row = {"name": key, "fullyQualifiedName": f"{table} {key}", "kind": "row"}
            return {"physicalLocation": physical, "logicalLocations": [row]}
    return {"physicalLocation": physical}


def _plain(text: str) -> str:
    """`[text](target)` in a message would be a link."""
    return printable(text).replace("](", "]\\(")
