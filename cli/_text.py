"""What a terminal may be shown: no control or escape sequence from a store ever reaches it."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import click

from suture.model.finding import Finding, Severity
from suture.model.place import Row, Span
from suture.model.report import NO_SESSION, Report, Reported, SessionState
from suture.model.text import printable

clean = printable

_ALIKE = 5  # findings of one rule in one session that are shown
_IDS = 4
_COLOURS = {Severity.ERROR: "red", Severity.WARN: "yellow", Severity.INFO: "blue"}


def say(text: str = "", colour: str | None = None) -> None:
    """Click drops the colour when stdout is not a terminal."""
    click.echo(click.style(text, fg=colour) if colour else text)


def emit_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=True) + "\n")


def where(finding: Finding) -> str:
    match finding.place:
        case Span(path, 1, 0, 0):  # the file as a whole, which may have no lines
            return clean(path)
        case Span(path, line, _, _):
            return f"{clean(path)}:{line}"
        case Row(path, table, key):
            return f"{clean(path)} {table} {clean(key)}"
        case _:
            return clean(finding.unit)


def told_of(unit: str, reason: str | None) -> str:
    """The unit and what is said of it, which may start with its name or that of its file."""
    if not reason:
        return clean(unit)
    if reason.startswith((f"{unit} ", f"{unit}:")):
        return clean(reason)
    file = unit.rpartition("#")[0]  # of a session in a database
    return clean(f"{unit}: {reason.removeprefix(f'{file} ') if file else reason}")


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1e3:.1f} KB"


def show_report(report: Report, show_info: bool, show_all: bool = False) -> None:
    summary = report.summary
    counts = ", ".join(
        plural(summary[level], noun)
        for level, noun in (("error", "error"), ("warn", "warning"), ("info", "note"))
        if summary[level]
    )
    colour = {"clean": "green", "findings": "yellow", "damaged": "red"}[report.verdict]
    known = summary.get("known", 0)
    all_known = all(i.known for i in report.findings if i.finding.severity > Severity.INFO)
    in_baseline = f", {'all' if all_known else f'{known:,} of them'} known" if known else ""
    say(f"{report.verdict}: {counts or 'nothing found'}{in_baseline}", colour)
    say(
        f"looked at {plural(summary['sessions'], 'session')} in "
        f"{plural(summary['files'], 'file')}, {megabytes(summary['bytes'])}, "
        f"{plural(summary['records'], 'record')}"
    )
    if unchanged := summary.get("unchanged"):
        say(f"{plural(unchanged, 'unit')} unchanged since a clean check, not looked at again")
    if left_out := summary.get("left_out"):
        say(f"{plural(left_out, 'finding')} left out by select, ignore or severity")
    states = {(s.id, s.path): s for s in report.sessions}
    for (session, path), items in _grouped(report.findings):
        shown = [i for i in items if show_info or i.speaks]
        if shown:
            say()
            _show_session(states.get((session or "", path or "")), session, path, shown, show_all)
    for entry in report.stale:
        session = f" in session {clean(entry.session)}" if entry.session else ""
        say(f"in the baseline, no longer found: {entry.rule}{session}: {clean(entry.message)}")
    show_notices(report.notices)


def show_notices(notices: Iterable[str]) -> None:
    for notice in notices:
        click.echo(clean(notice), err=True)


def _grouped(
    items: Iterable[Reported],
) -> list[tuple[tuple[str | None, str | None], list[Reported]]]:
    groups: dict[tuple[str | None, str | None], list[Reported]] = {}
    for item in items:
        path = item.finding.place.path if item.finding.place else item.finding.unit
        groups.setdefault((item.finding.session, path), []).append(item)
    return list(groups.items())


def _show_session(
    state: SessionState | None,
    session: str | None,
    path: str | None,
    items: Sequence[Reported],
    show_all: bool,
) -> None:
    if state is None:
        say(f"session {clean(session)}" if session else clean(path or "?"))
    else:
        say(f"session {clean(state.id)} ({state.store}): {_resume_line(state)}")
        for rule, effect in _effects(items):
            say(f"  on resume, {rule}: {effect}")
    shown: Counter[str] = Counter()
    for item in items:
        shown[item.finding.rule] += 1
        if show_all or shown[item.finding.rule] <= _ALIKE:
            _show_finding(item)
    for rule, count in shown.items():
        if count > _ALIKE and not show_all:
            say(f"  and {count - _ALIKE} more of {rule}; --all shows them")


def _effects(items: Sequence[Reported]) -> Iterable[tuple[str, str]]:
    """What the client does, each thing once, worst first."""
    worst_first = sorted(items, key=lambda item: -item.finding.severity)
    told = ((i.finding.rule, i.on_resume) for i in worst_first if i.on_resume is not None)
    return dict.fromkeys(told)


def _show_finding(item: Reported) -> None:
    finding = item.finding
    say(
        f"  {where(finding)}: {finding.severity.label} {finding.code} {finding.rule}: "
        f"{clean(finding.message)}{' (known)' if item.known else ''}",
        _COLOURS[finding.severity],
    )
    if finding.ids:
        more = " …" if len(finding.ids) > _IDS else ""
        say(f"    ids: {clean(' '.join(finding.ids[:_IDS]))}{more}")
    for repair in item.repairs:
        say(f"    repair: {repair}")


def _resume_line(state: SessionState) -> str:
    if not state.is_of_a_client:
        return NO_SESSION
    resume = state.resume
    client = f"{resume.client or state.store} {resume.version or '(version unknown)'}"
    verb = {
        "yes": "resumes",
        "no": "does not resume",
        "unknown": "may not resume (not measured)",
    }[resume.resumes]
    if resume.resumes == "yes" and resume.loses:
        verb = "resumes, and silently loses part of it"
    legal = ", the provider would refuse the request" if state.legal is False else ""
    return f"{client} {verb}{legal}; tail {state.tail.replace('_', ' ')}"
