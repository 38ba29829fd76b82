"""Whatever a store holds: a finding or a clear line, the same plan twice, and promises kept.

SUTURE_FUZZ_SECONDS (20) is shared by the tests; SUTURE_FUZZ_SEED (0) starts somewhere else.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, cast

import fuzz_trial
import pytest
from fuzz_trial import Spoiled, trial
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from spoiling import batches, single

from suture.model.operation import Policy

pytestmark = pytest.mark.fuzz

SHARE = float(os.environ.get("SUTURE_FUZZ_SECONDS", "20")) / 3
START = int(os.environ.get("SUTURE_FUZZ_SEED", "0"))
SETTINGS = settings(
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=(Phase.generate,),  # shrinking would take minutes
    print_blob=False,
)


class Clock:
    """A trial takes seconds on a busy machine, so each looks whether there is time for it."""

    until = float("inf")
    failed = False  # what failed is run again, however late it is

    @property
    def over(self) -> bool:
        return time.monotonic() > self.until and not self.failed


CLOCK = Clock()


def one_by_one(stores: list[Spoiled], policy: Policy, repair: bool) -> None:
    """All together, and where that fails each alone, to name the one."""
    if CLOCK.over:
        return
    try:
        trial(stores, policy, repair)
    except Exception:
        CLOCK.failed = True
        for store in stores:
            try:
                trial([store], policy, repair)
            except Exception:
                print(f"alone: {store}, {policy}", flush=True)
                raise
        raise


@SETTINGS
@given(batches(), st.sampled_from(Policy))
def judged(stores: list[Spoiled], policy: Policy) -> None:
    one_by_one(stores, policy, repair=False)


@SETTINGS
@given(single(), st.sampled_from(Policy))
def repaired(store: Spoiled, policy: Policy) -> None:
    one_by_one([store], policy, repair=True)


@pytest.mark.parametrize("one", [judged, repaired], ids=["judged", "repaired"])
def test_no_store_is_a_bug_and_plans_keep_their_promises(
    one: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CLOCK, "until", time.monotonic() + SHARE)
    monkeypatch.setattr(CLOCK, "failed", False)
    for number in count(START):
        seed(number)(one)()
        if CLOCK.over:
            break


def fuzz_bytes(data: bytes) -> None:
    """`judged` on what Hypothesis draws from bytes."""
    cast(Any, judged).hypothesis.fuzz_one_input(data)


def test_inputs_that_reach_new_code_are_a_bug_no_more_than_others(tmp_path: Path) -> None:
    """Under atheris, which keeps what reaches new branches and changes it further."""
    if find_spec("atheris") is None:
        why = "atheris is not installed (pip install atheris): no coverage-guided fuzzing"
        if os.environ.get("SUTURE_NO_SKIP"):
            pytest.fail(why)
        pytest.skip(why)
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    for number in range(4):
        (inputs / str(number)).write_bytes(Random(START + number).randbytes(1000))
    command = [
        sys.executable,
        str(Path(fuzz_trial.__file__).with_name("coverage_guided.py")),
        f"-max_total_time={max(1, round(SHARE))}",
        f"-seed={START + 1}",
        "-timeout=300",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={tmp_path}/",
        str(inputs),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    assert ran.returncode == 0, ran.stderr[-1000:] + ran.stdout[-6000:]
    assert "Done " in ran.stderr, "it ran to the end of its time"
