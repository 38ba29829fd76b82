"""A report as workflow commands: annotations on the files of a pull request."""

from suture.exporters.cases import below, line_of, path_of
from suture.exporters.frame import Frame
from suture.model.finding import Severity
from suture.model.report import Report, Reported
from suture.model.text import printable

_COMMAND = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "notice"}


def render(report: Report, frame: Frame) -> str:
    """Worst first: a step shows ten of a kind and drops the rest."""
    shown = [i for i in report.findings if frame.notes or i.speaks]
    shown.sort(key=lambda item: (item.known, -item.finding.severity))
    told = [_annotation(item, frame.root) for item in shown]
    told += [
        f"::notice title=suture baseline::{_data(f'no longer found: {e.rule}: {e.message}')}"
        for e in report.stale
    ]
    return "".join(f"{line}\n" for line in told)


def _annotation(item: Reported, root: str) -> str:
    finding = item.finding
    path, line = path_of(finding), line_of(finding)
    named = {
        "file": below(path, root) or path,
        "line": None if line is None else str(line),
        "title": f"{finding.code} {finding.rule}" + (" (known)" if item.known else ""),
    }
    properties = ",".join(f"{k}={_property(v)}" for k, v in named.items() if v is not None)
    text = [finding.message]
    text += [f"on resume: {item.on_resume}"] if item.on_resume else []
    text += [f"repair: {repair}" for repair in item.repairs]
    command = "notice" if item.known else _COMMAND[finding.severity]
    return f"::{command} {properties}::{_data(chr(10).join(map(printable, text)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # A name with a control byte still has to match the file, so it is escaped, not shown.
    escaped = _data(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return escaped.replace(":", "%3A").replace(",", "%2C")
