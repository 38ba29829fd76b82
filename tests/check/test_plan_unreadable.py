"""A plan is not silent about files that nobody could read."""

from pathlib import Path
from shutil import copytree

from suture import api
from suture.model.scope import Scope, Wanted

SAMPLES = Path(__file__).parents[2] / "sample_data"


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    store = Path(copytree(SAMPLES / "crush" / "interrupted", tmp_path / "store"))
    (store / "goose.db").write_bytes(b"\0" * 4096)
    scope = Scope((str(store),), assume="dead")
    plan = api.plan(scope, Wanted(), tmp_path / "plan.json")
    assert any(unit.steps for unit in plan.units)
    assert plan.refused == (
        (str(store / "goose.db"), "cannot be read: it is named like a database and is none"),
    )
    assert api.read_plan(tmp_path / "plan.json").refused == plan.refused
    done = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert [one.exit_code for one in done.outcomes] == [0]
