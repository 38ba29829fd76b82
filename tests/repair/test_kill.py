"""A kill at any point leaves each file old or new, and the journal knows how to go on.

Each run is a forked process whose disk functions kill it before or after their k-th call.
"""

import os
import shutil
import signal
import sqlite3
import types
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from desk import MTIME_NS, Desk, at, dump, dumped

from suture.model.plan import Plan
from suture.repair import applier, disk, journal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # no thread is ours
]

Contents = dict[str, tuple[bytes, int, int]]


def made(desk: Desk, kind: str) -> Plan:
    return {"files": desk.two_files, "compressed": desk.compressed, "twin": desk.twin}[kind]()


def survives(action: Callable[[], object], k: int) -> bool:
    """Run in a child that dies at the k-th point; tells whether it got to the end."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            die_at(k)
            action()
            status = 0
        finally:
            os._exit(status)
    _, found = os.waitpid(pid, 0)
    if os.WIFSIGNALED(found):
        assert os.WTERMSIG(found) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(found) == 0, "the child failed instead of being killed"
    return True


def die_at(k: int) -> None:
    points = count()

    def point() -> None:
        if next(points) == k:
            os.kill(os.getpid(), signal.SIGKILL)

    def wrapped(function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            point()
            result = function(*args, **named)
            point()
            return result

        return call

    for name, value in vars(disk).items():
        if isinstance(value, types.FunctionType) and value.__module__ == disk.__name__:
            setattr(disk, name, wrapped(value))


def reset(desk: Desk, pristine: Path) -> None:
    for folder in (desk.store, desk.journal):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(pristine, desk.store)


def settle(desk: Desk, k: int, after: str) -> str:
    """Half of the runs go on, half go back; returns what the store must be now."""
    (entry,) = journal.unfinished(desk.journal)
    if k % 2 if after == "apply" else k % 3 == 0:
        outcomes = desk.resume(entry.id).outcomes
        assert [o.status for o in outcomes] == ["applied"], outcomes
        target = "new"
    else:
        desk.undo(entry.id)
        target = "old"
    assert journal.unfinished(desk.journal) == []
    return target


def leftovers(desk: Desk) -> list[str]:
    hidden = [p.name for p in desk.store.rglob(".*")]
    return hidden + [p.name for p in desk.journal.glob("copy-*")]


def timeless(contents: Contents) -> Contents:
    """A file that is new has the time of its writing."""
    return {n: (d, m, t if t == MTIME_NS else 0) for n, (d, m, t) in contents.items()}


def each_old_or_new(found: Contents, old: Contents, new: Contents) -> bool:
    seen = {n: v for n, v in timeless(found).items() if not Path(n).name.startswith(".")}
    names = old.keys() | new.keys()
    return seen.keys() <= names and all(
        seen.get(name) in (old.get(name), new.get(name)) for name in names
    )


def states(desk: Desk, pristine: Path, plan: Plan) -> tuple[Contents, Contents]:
    reset(desk, pristine)
    old = timeless(desk.contents())
    done = desk.apply(plan)
    new = timeless(desk.contents())
    assert done.exit_code == 0
    assert old != new
    return old, new


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applier, "PAUSE", 0)


@pytest.mark.parametrize("kind", ["files", "compressed", "twin"])
def test_apply_of_files_may_be_killed_anywhere(tmp_path: Path, kind: str) -> None:
    desk = at(tmp_path)
    plan = made(desk, kind)
    pristine = tmp_path / "pristine"
    shutil.copytree(desk.store, pristine)
    old, new = states(desk, pristine, plan)
    reset(desk, pristine)
    data = dumped(plan)
    k = 0
    for k in count():
        reset(desk, pristine)
        if survives(lambda: desk.apply_bytes(data), k):
            break
        found = desk.contents()
        assert each_old_or_new(found, old, new), k
        if not journal.unfinished(desk.journal):
            began = bool(journal.entries(desk.journal))  # no: nothing may have been touched
            assert timeless(found) == (new if began else old)
            continue
        target = settle(desk, k, "apply")
        assert timeless(desk.contents()) == (new if target == "new" else old), (k, target)
        assert leftovers(desk) == []
    assert timeless(desk.contents()) == new
    print(f"{k} kill points in an apply, {kind}")
    assert k > 80


@pytest.mark.parametrize("kind", ["files", "compressed", "twin"])
def test_undo_of_files_may_be_killed_anywhere(tmp_path: Path, kind: str) -> None:
    desk = at(tmp_path)
    plan = made(desk, kind)
    pristine = tmp_path / "pristine"
    shutil.copytree(desk.store, pristine)
    old, new = states(desk, pristine, plan)
    applied, kept = tmp_path / "applied", tmp_path / "kept"
    shutil.copytree(desk.store, applied)
    shutil.copytree(desk.journal, kept)
    (id,) = (entry.id for entry in journal.entries(desk.journal))
    k = 0
    for k in count():
        reset(desk, applied)
        shutil.copytree(kept, desk.journal)
        if survives(lambda: desk.undo(id), k):
            break
        assert each_old_or_new(desk.contents(), old, new), k
        if journal.unfinished(desk.journal):
            target = settle(desk, k, "undo")
            assert timeless(desk.contents()) == (new if target == "new" else old), (k, target)
        desk.undo(id)
        assert timeless(desk.contents()) == old
        assert leftovers(desk) == []
    print(f"{k} kill points in an undo, {kind}")
    assert k > 30


def logical(path: Path) -> str:
    """The dump, read from a copy so that the log of a killed writer stays as it is."""
    with disk.private_folder(str(path.parent.parent)) as folder:
        for tail in ("", "-wal", "-journal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{tail}", f"{folder}/x.db{tail}")
        return dump(Path(folder, "x.db"))


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_repair_of_a_database_may_be_killed_anywhere(tmp_path: Path, mode: str) -> None:
    desk = at(tmp_path)
    path, plan = desk.database()
    connection = sqlite3.connect(path)
    connection.execute(f"pragma journal_mode = {mode}")
    connection.close()
    pristine = tmp_path / "pristine"
    shutil.copytree(desk.store, pristine)
    old = logical(path)
    data = dumped(plan)
    (id,) = [str(desk.apply_bytes(data).journal)]
    new = logical(path)
    applied, kept = tmp_path / "applied", tmp_path / "kept"
    shutil.copytree(desk.store, applied)
    shutil.copytree(desk.journal, kept)
    k = 0
    for k in count():
        reset(desk, pristine)
        if survives(lambda: desk.apply_bytes(data), k):
            break
        assert logical(path) in (old, new), k
        if journal.unfinished(desk.journal):
            target = settle(desk, k, "apply")
            assert logical(path) == (new if target == "new" else old), (k, target)
            assert leftovers(desk) == []
    j = 0
    for j in count():
        reset(desk, applied)
        shutil.copytree(kept, desk.journal)
        if survives(lambda: desk.undo(id), j):
            break
        assert logical(path) in (old, new), j
        desk.undo(id)
        assert logical(path) == old
        assert journal.unfinished(desk.journal) == []
    print(f"{k} and {j} kill points in apply and undo of a database, {mode} mode")
    assert k > 60
    assert j > 10
