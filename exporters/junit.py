"""A report as JUnit XML: a case a session, failed by what fails the check."""

from xml.etree import ElementTree as ET

from suture.exporters.cases import Case, cases, line_of, lines
from suture.exporters.frame import Frame
from suture.model.report import Report
from suture.model.text import printable


def render(report: Report, frame: Frame) -> str:
    suites = ET.Element("testsuites", name="suture")
    suite = ET.SubElement(suites, "testsuite", name="suture check")
    found = cases(report)
    failures = sum(_add_case(suite, report, case) for case in found)
    for session in report.unchanged:
        name, path = printable(session.id), printable(session.path)
        case = ET.SubElement(suite, "testcase", classname=path, name=name, file=path)
        ET.SubElement(case, "skipped", message="unchanged since a clean check")
    total, skipped = len(found) + len(report.unchanged), len(report.unchanged)
    for element in (suites, suite):
        element.set("tests", str(total))
        element.set("failures", str(failures))
        element.set("errors", "0")
        element.set("skipped", str(skipped))
    if notes := [*report.notices, *(f"no longer found: {e.rule}" for e in report.stale)]:
        ET.SubElement(suite, "system-err").text = "\n".join(printable(note) for note in notes)
    ET.indent(suites, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _add_case(suite: ET.Element, report: Report, case: Case) -> bool:
    path = printable(case.path)
    element = ET.SubElement(suite, "testcase", classname=path, name=printable(case.name), file=path)
    failing = sorted(
        (item for item in case.items if report.fails(item)), key=lambda i: -i.finding.severity
    )
    rest = [item for item in case.items if not report.fails(item)]
    if failing:
        worst = failing[0].finding
        more = f" and {len(failing) - 1} more" if len(failing) > 1 else ""
        # Readers of JUnit XML take one failure a case.
        failure = ET.SubElement(
            element, "failure", type=worst.rule, message=printable(worst.message) + more
        )
        failure.text = "\n".join(line for item in failing for line in lines(item))
        if (line := line_of(worst)) is not None:
            element.set("line", str(line))
    if rest:
        told = "\n".join(line for item in rest for line in lines(item))
        ET.SubElement(element, "system-out").text = told
    return bool(failing)
