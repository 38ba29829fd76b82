"""A report as Markdown: for a job summary or a comment on a pull request."""

import re
from collections.abc import Iterator

from suture.exporters.cases import Case, cases, where
from suture.exporters.frame import Frame
from suture.model.report import NO_SESSION, Report, Reported, SessionState
from suture.model.text import printable

_RESUMES = {"yes": "resumes", "no": "does not resume", "unknown": "resume not known"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~@&])")


def render(report: Report, frame: Frame) -> str:
    return "\n".join(_page(report, frame.notes)) + "\n"


def _page(report: Report, notes: bool) -> Iterator[str]:
    summary = report.summary
    yield f"## suture: {report.verdict}\n"
    yield "| sessions | files | records | errors | warnings | notes | known | unchanged |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|"
    names = ("sessions", "files", "records", "error", "warn", "info", "known", "unchanged")
    yield "| " + " | ".join(f"{summary.get(name, 0):,}" for name in names) + " |"
    for case in cases(report):
        shown = [i for i in case.items if notes or i.speaks]
        if shown:
            yield from _case(case, shown)
    if report.stale:
        yield "\n### In the baseline, no longer found\n"
        for entry in report.stale:
            session = f" in {_code(entry.session)}" if entry.session else ""
            yield f"- {_code(entry.rule)}{session}: {_text(entry.message)}"
    if report.notices:
        yield ""
        yield from (f"- {_text(notice)}" for notice in report.notices)


def _case(case: Case, items: list[Reported]) -> Iterator[str]:
    yield f"\n### {_code(case.name)}\n"
    if case.state is not None:
        yield f"{_state(case.state)}\n"
    yield "| level | rule | place | finding | on resume | repair |"
    yield "|---|---|---|---|---|---|"
    for item in items:
        finding = item.finding
        cells = (
            f"{finding.severity.label}{' (known)' if item.known else ''}",
            f"{finding.code} {_code(finding.rule)}",
            _code(where(finding)),
            _text(finding.message),
            _text(item.on_resume or ""),
            _text("; ".join(item.repairs)),
        )
        yield f"| {' | '.join(cells)} |"


def _state(state: SessionState) -> str:
    if not state.is_of_a_client:
        return _text(NO_SESSION)
    client = f"{state.resume.client or state.store} {state.resume.version or '(version unknown)'}"
    refused = ", the provider would refuse the request" if state.legal is False else ""
    tail = state.tail.replace("_", " ")
    return _text(f"{client}: {_RESUMES[state.resume.resumes]}{refused}; tail {tail}")


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text))


def _code(text: str) -> str:
    """A fence longer than any run of backticks inside; a bar would end the cell even in code."""
    plain = printable(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", plain)), default=0) + 1)
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
