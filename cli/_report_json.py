"""A report as the JSON of schemas/check.schema.json."""

from typing import Any

from msgspec import to_builtins

from suture import __version__
from suture.model.place import Row, Span
from suture.model.report import Report, Reported, SessionState

SCHEMA = "suture.check/1"


def report_json(report: Report) -> dict[str, Any]:
    return {
        "suture": __version__,
        "schema": SCHEMA,
        "verdict": report.verdict,
        "sources": [
            {
                "path": s.path,
                "store": s.store,
                "bytes": s.bytes,
                "records": s.records,
                "live": s.live,
            }
            for s in report.sources
        ],
        "sessions": [_session(state) for state in report.sessions],
        "findings": [_finding(item) for item in report.findings],
        "stale": [to_builtins(entry) for entry in report.stale],
        "unchanged": [to_builtins(session) for session in report.unchanged],
        "notices": list(report.notices),
        "summary": dict(report.summary),
    }


def _session(state: SessionState) -> dict[str, Any]:
    resume = state.resume
    return {
        "id": state.id,
        "path": state.path,
        "store": state.store,
        "tail": state.tail,
        "legal": state.legal,
        "resume": {
            "client": resume.client,
            "version": resume.version,
            "resumes": resume.resumes,
            "loses": list(resume.loses),
        },
    }


def _finding(item: Reported) -> dict[str, Any]:
    finding = item.finding
    span = finding.place if isinstance(finding.place, Span) else None
    row = finding.place if isinstance(finding.place, Row) else None
    return {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity.label,
        "session": finding.session,
        "path": finding.place.path if finding.place else finding.unit,
        "line": span.line if span else None,
        "offset": span.offset if span else None,
        "length": span.length if span else None,
        "table": row.table if row else None,
        "key": row.key if row else None,
        "ids": list(finding.ids),
        "message": finding.message,
        "on_resume": item.on_resume,
        "repairs": list(item.repairs),
        "evidence": dict(finding.facts),
        "fingerprint": finding.fingerprint,
        "known": item.known,
    }
