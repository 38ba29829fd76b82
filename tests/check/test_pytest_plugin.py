"""`pytest --suture`: a stored session is a test."""

from importlib.metadata import entry_points

import pytest
from commandline import sample

pytest_plugins = ["pytester"]

# Installed, the plugin is there by itself; in a checkout it is named.
_IS_INSTALLED = any(p.value == "suture.pytest_plugin" for p in entry_points(group="pytest11"))
_NAMED = () if _IS_INSTALLED else ("-p", "suture.pytest_plugin")


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*_NAMED, *words)


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    sample("claude-code", pytester.path / "fixtures/claude-code")
    sample("eventlog", pytester.path / "fixtures/eventlog")
    pytester.makepyfile(test_code="def test_it(): pass")
    return pytester


def test_nothing_is_collected_unless_asked(project: pytest.Pytester) -> None:
    run(project).assert_outcomes(passed=1)


def test_each_session_is_a_test_that_fails_by_its_findings(project: pytest.Pytester) -> None:
    result = run(project, "--suture", "fixtures/")
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] == 3
    assert outcomes["passed"] >= 3
    result.stdout.fnmatch_lines(
        [
            "*session b7f0c7d2-4a7e-4d35-9d0e-6f4c1b1f0a02*",
            "fixtures/eventlog/interrupted/session.jsonl:16: error 301 orphan-call-tail: *",
            "  repair: answer the call at the end: interrupted, result unknown (safe)",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_one_session_can_be_named(project: pytest.Pytester) -> None:
    name = "b7f0c7d2-4a7e-4d35-9d0e-6f4c1b1f0a02"
    typed = f"fixtures/eventlog/interrupted/session.jsonl::{name}"
    run(project, "--suture", typed).assert_outcomes(failed=1)
    run(project, "--suture", "fixtures", "-k", name).assert_outcomes(
        failed=1, deselected=run(project, "--suture", "fixtures").parseoutcomes()["passed"] + 2
    )


def test_ordinary_tests_run_beside_the_sessions(project: pytest.Pytester) -> None:
    result = run(project, "--suture", "test_code.py", "fixtures/eventlog/healthy")
    result.assert_outcomes(passed=2)


def test_settings_hold(project: pytest.Pytester) -> None:
    (project.path / "suture.toml").write_text('ignore = ["3", "7", "1"]\n', "utf-8")
    assert "failed" not in run(project, "--suture", "fixtures").parseoutcomes()
    (project.path / "suture.toml").write_text("colour = 1\n", "utf-8")
    result = run(project, "--suture", "fixtures")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*suture.toml: unknown key 'colour'*"])


def test_what_is_no_store_is_not_collected(project: pytest.Pytester) -> None:
    (project.path / "other").mkdir()
    (project.path / "other/data.db").write_bytes(b"")
    assert run(project, "--suture", "other").ret == pytest.ExitCode.NO_TESTS_COLLECTED
