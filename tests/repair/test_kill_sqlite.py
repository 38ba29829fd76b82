"""SQLite killed between any two of its own writes, by strace: the rows are old or new.

Among these points is the one after COMMIT was sent and before its answer came.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from desk import Desk, at, dump, dumped

from suture.repair import applier, journal

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CALLS = "pwrite64,write,fsync,fdatasync,ftruncate,unlink"
CHILD = """
import sys
from pathlib import Path
from desk import Desk
desk = Desk(Path(sys.argv[1]), Path(sys.argv[2]))
done = desk.apply_bytes(Path(sys.argv[3]).read_bytes())
sys.exit(done.exit_code)
"""


def survives(desk: Desk, plan: Path, database: Path, k: int) -> bool:
    """Apply in a child that dies as SQLite enters its k-th call that changes a file of its own."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "repair")])
    own = [word for tail in ("", "-wal", "-journal") for word in ("-P", f"{database}{tail}")]
    kill = ["-e", f"trace={CALLS}", "-e", f"inject={CALLS}:signal=KILL:when={k}"]
    child = [sys.executable, "-c", CHILD, str(desk.store), str(desk.journal), str(plan)]
    done = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", *own, *kill, *child],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -9, 137), done.stderr
    return done.returncode == 0


def logical(database: Path, folder: Path) -> str:
    """The dump of a copy, so that the log of a killed writer stays as it is."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(database.parent, folder)
    return dump(folder / database.name)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_sqlite_may_be_killed_at_any_of_its_writes(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = ["strace", "-f", "true"]
    if not shutil.which("strace") or subprocess.run(trial, check=False).returncode:
        why = "strace is not installed or may not trace here: SQLite was not killed in mid-write"
        (pytest.fail if os.environ.get("SUTURE_NO_SKIP") else pytest.skip)(why)
    monkeypatch.setattr(applier, "PAUSE", 0)
    desk, copy = at(tmp_path), tmp_path / "copy"
    database, plan = desk.database()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"pragma journal_mode = {mode}")
    file, pristine = tmp_path / "plan.json", tmp_path / "pristine"
    file.write_bytes(dumped(plan))
    shutil.copytree(desk.store, pristine)
    old = logical(database, copy)
    assert desk.apply_bytes(file.read_bytes()).exit_code == 0
    new = logical(database, copy)
    assert old != new
    seen, k = {old: 0, new: 0}, 0
    for k in count(1):
        for folder in (desk.store, desk.journal):
            shutil.rmtree(folder)
        shutil.copytree(pristine, desk.store)
        if survives(desk, file, database, k):
            break
        found = logical(database, copy)
        assert found in seen, k
        seen[found] += 1
        for entry in journal.unfinished(desk.journal):
            if k % 2:
                outcomes = desk.resume(entry.id).outcomes
                assert [o.status for o in outcomes] == ["applied"], (k, outcomes)
                assert logical(database, copy) == new, k
            desk.undo(entry.id)
            assert logical(database, copy) == old, k
        assert not journal.unfinished(desk.journal)
    print(f"SQLite killed at {k - 1} of its own writes, {mode}: {list(seen.values())} old and new")
    assert seen[old]
    # the last thing that is done in the other mode is the COMMIT itself: the journal goes
    assert seen[new] or mode == "delete"
