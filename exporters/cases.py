"""How a report is told outside a terminal: its cases, their lines, where a finding lies."""

import os
import posixpath
from collections.abc import Iterator
from urllib.parse import quote

from msgspec import Struct

from suture.model.finding import Finding
from suture.model.place import Row, Span
from suture.model.report import Report, Reported, SessionState
from suture.model.text import printable


class Case(Struct, frozen=True):
    """A session, or a file that none could be made of, with what was found there."""

    name: str
    path: str
    state: SessionState | None
    items: tuple[Reported, ...]


def cases(report: Report) -> list[Case]:
    """Every session that was looked at in the order of the report, then findings of no session."""
    groups: dict[tuple[str, str], list[Reported]] = {(s.id, s.path): [] for s in report.sessions}
    states = {(s.id, s.path): s for s in report.sessions}
    for item in report.findings:
        groups.setdefault(_owner(item.finding, states), []).append(item)
    return [
        Case(name or path, path, states.get((name, path)), tuple(items))
        for (name, path), items in groups.items()
    ]


def _owner(finding: Finding, states: dict[tuple[str, str], SessionState]) -> tuple[str, str]:
    """A session may stand in two files, and a finding in a file beside that of its session."""
    session, path = finding.session or "", path_of(finding)
    for key in ((session, path), (session, finding.unit)):
        if key in states:
            return key
    return next((key for key in states if key[0] == session), (session, path))


def path_of(finding: Finding) -> str:
    return finding.place.path if finding.place else finding.unit


def line_of(finding: Finding) -> int | None:
    """None where the lines of the file on disk are others: in a database, in compressed files."""
    place = finding.place
    return place.line if isinstance(place, Span) and not is_packed(place.path) else None


def is_packed(path: str) -> bool:
    return path.endswith(".zst")


def where(finding: Finding) -> str:
    match finding.place:
        case Span(path, line, _, _):
            return printable(f"{path}:{line}")
        case Row(path, table, key):
            return printable(f"{path} {table} {key}")
        case _:
            return printable(finding.unit)


def lines(item: Reported) -> Iterator[str]:
    """The finding, then what it costs and what repairs it."""
    finding = item.finding
    known = " (known)" if item.known else ""
    yield (
        f"{where(finding)}: {finding.severity.label} {finding.code} {finding.rule}: "
        f"{printable(finding.message)}{known}"
    )
    if finding.ids:
        yield f"  ids: {printable(' '.join(finding.ids))}"
    if item.on_resume:
        yield f"  on resume: {printable(item.on_resume)}"
    for repair in item.repairs:
        yield f"  repair: {printable(repair)}"


def below(path: str, root: str) -> str | None:
    """The path as seen from `root`, where a repository is checked out; None outside of it."""
    full = posixpath.normpath(posixpath.join(root, path))
    return full[len(root) :].lstrip("/") if full.startswith(root.rstrip("/") + "/") else None


def uri(path: str, root: str) -> str:
    """Bytes of a name that is not UTF-8 keep their value."""
    inside = below(path, root)
    if inside is not None:
        return quote(os.fsencode(inside))
    return "file://" + quote(os.fsencode(posixpath.normpath(posixpath.join(root, path))))
