"""A repair of a broken chain says what it hangs the record on."""

from pathlib import Path

import pytest
from commandline import suture

CASES = Path(__file__).parent.parent / "cases" / "dangling-parent"


@pytest.mark.parametrize(
    ("case", "title"),
    [
        ("claude", "hang the record on the nearest earlier one of the chain (lossy)"),
        ("claude-hangs-on-an-unknown-type", "hang the record on what its parent hangs on (lossy)"),
    ],
)
def test_the_title_names_what_the_record_is_hung_on(case: str, title: str) -> None:
    done = suture("check", CASES / case / "before", "--assume", "dead", "--format", "json")
    found = [f["repairs"] for f in done.json["findings"] if f["rule"] == "dangling-parent"]
    assert found and all(repairs == [title] for repairs in found)
