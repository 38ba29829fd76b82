"""One trial: small stores, each spoiled in some ways, judged, planned, and one of them repaired."""

import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from spoiled_lines import BYTES
from spoiled_rows import PAGES, ROWS, spoil_rows

from suture import api
from suture.model.errors import SutureError
from suture.model.operation import Policy
from suture.model.scope import Scope, Wanted

ROOT = Path(__file__).parents[2]
NOW = 1_800_000_000_000_000
Steps = Sequence[tuple[str, int]]  # a kind of fault, and the seed that says where and how
NAMES = ("plan.json", "again.json")
_MAGIC = b"SQLite format 3\0"
_SCRIPTS = (".db.sql", ".sqlite.sql")


@dataclass(frozen=True)
class Seed:
    """A store to start from."""

    name: str
    mapping: str | None = None

    @property
    def folder(self) -> Path:
        return ROOT / self.name

    @property
    def has_database(self) -> bool:
        return any(
            path.name.endswith((*_SCRIPTS, ".db", ".sqlite")) for path in _files(self.folder)
        )


def seeds() -> list[Seed]:
    """The stores of all cases, and sample_data."""
    found = []
    for expected in sorted((ROOT / "tests" / "cases").rglob("expected.json")):
        mapping = json.loads(expected.read_bytes()).get("map")
        name = (expected.parent / "before").relative_to(ROOT).as_posix()
        found.append(Seed(name, mapping and str(ROOT / mapping)))
    for folder in sorted((ROOT / "sample_data").glob("*/*/")):
        home_grown = folder.parent.name == "seqstore"
        mapping = str(folder.parent / "seqstore.toml") if home_grown else None
        found.append(Seed(folder.relative_to(ROOT).as_posix(), mapping))
    return found


def build(seed: Seed, target: Path) -> None:
    shutil.copytree(seed.folder, target)
    for script in _files(target):
        if script.name.endswith(_SCRIPTS):
            with closing(sqlite3.connect(script.with_suffix(""))) as connection:
                connection.executescript(script.read_text("utf-8"))
            script.unlink()


def spoil(root: Path, steps: Steps) -> None:
    for kind, number in steps:
        random = Random(number)
        files = _files(root)
        databases = [path for path in files if path.read_bytes()[:16] == _MAGIC]
        wanted = [path for path in files if path not in databases]
        if kind in ROWS or kind in PAGES:
            wanted = databases
        if not wanted:
            continue
        path = random.choice(wanted)
        if kind in ROWS:
            spoil_rows(path, kind, random)
        else:
            path.write_bytes({**BYTES, **PAGES}[kind](path.read_bytes(), random))


@dataclass(frozen=True)
class Spoiled:
    seed: Seed
    steps: Steps


def trial(stores: Sequence[Spoiled], policy: Policy, repair: bool = False) -> None:
    """Raises what would be exit code 70, and AssertionError where a promise of plans is broken.
    Many stores at once cost little more than one; with `repair` they should be one."""
    with tempfile.TemporaryDirectory(prefix="suture-fuzz-") as name:
        folder = Path(name)
        for number, one in enumerate(stores):
            build(one.seed, folder / "store" / str(number))
            spoil(folder / "store" / str(number), one.steps)
        scope = Scope(
            (str(folder / "store"),),
            assume="dead",
            now=NOW,
            jobs=1,
            map_file=stores[0].seed.mapping,
        )
        before = _bytes(folder / "store")
        try:
            plans = _judged(scope, policy, folder, names=NAMES[: 1 if repair else 2])
        except SutureError:
            plans = ()  # a clear line
        assert _bytes(folder / "store") == before, "check and plan write nothing"
        assert len(set(plans)) <= 1, "planning is deterministic"
        if plans and repair:
            _repaired(scope, folder, before)


def _judged(scope: Scope, policy: Policy, folder: Path, names: Sequence[str]) -> tuple[bytes, ...]:
    """The plans made, one for each name; a check goes before where there is more than one."""
    if len(names) > 1:
        api.check(scope, folder / "journal")
    for name in names:
        api.plan(scope, Wanted(policy), folder / name)
    return tuple((folder / name).read_bytes() for name in names)


def _repaired(scope: Scope, folder: Path, before: dict[str, bytes]) -> None:
    plan, journal = api.read_plan(folder / "plan.json"), folder / "journal"
    if not any(unit.steps for unit in plan.units):
        return
    applied = api.apply(folder / "plan.json", journal)
    assert all(o.exit_code in (0, 1) for o in applied.outcomes), applied.outcomes
    promised = Counter(key for unit in plan.units for key in unit.remaining)
    outside = {unit for unit, _ in plan.refused}  # what cannot be read is in no unit of the plan
    told = (item.finding for item in api.check(scope, journal).findings)
    found = Counter(finding.fingerprint for finding in told if finding.unit not in outside)
    assert not found - promised, "a second check finds nothing that was not said to remain"
    alone = len(plan.units) == 1  # a row that one session gets back can be the fault of another
    assert found == promised or not alone, "a second check finds exactly `remaining`"
    assert applied.journal is not None
    api.undo(applied.journal, journal)
    after = _bytes(folder / "store")
    assert after.keys() == before.keys(), "undo leaves no file behind"
    changed = [name for name in before if after[name] != before[name]]
    assert not [name for name in changed if before[name][:16] != _MAGIC], "undo gives bytes back"
    for name in changed:
        (folder / "before.db").write_bytes(before[name])
        assert _dump(folder / "store" / name) == _dump(folder / "before.db"), "undo gives rows back"


def _bytes(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in _files(root)}


def _files(root: Path) -> list[Path]:
    return [path for path in sorted(root.rglob("*")) if path.is_file()]


def _dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        tables = connection.execute("select name from sqlite_master where type = 'table'")
        names = sorted(name.decode() for (name,) in tables)
        return [f"{n} {row!r}" for n in names for row in connection.execute(f'select * from "{n}"')]
