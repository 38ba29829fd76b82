"""An apply that leaves errors behind says so, and exits 1."""

from pathlib import Path

from commandline import sample, suture


def test_an_error_that_the_plan_left_alone_is_told_after_the_rest_is_done(tmp_path: Path) -> None:
    store = sample("claude-code", tmp_path / "store")
    plan = tmp_path / "plan.json"
    suture("plan", store, "-o", plan, "--skip", "orphan-call-tail")
    done = suture("apply", plan, "--yes")
    assert done.code == 1
    assert "applied: " in done.out + done.err
    assert "2 errors left as the plan says" in done.out + done.err
    assert suture("check", store).code == 1
