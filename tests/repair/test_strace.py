"""What changes the disk, as the kernel sees it, is what the kill tests know.

`apply` and `undo` run under strace. Every call that changes something below the store or the
journal must come from one of the functions of `repair/disk.py`, the innermost of which does just
that: then a kill before and after each of them is a kill between any two changes.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from traced import MARK, functions

from suture import api
from suture.model.packed import zstd
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
ROLLOUT = "rollout-2026-11-29T17-19-12-01a22851-6415-7c61-9f69-465c638c420e.jsonl"

# Which calls each function makes itself; the others only call these.
KNOWN = {
    "create": {"open", "openat"},
    "write": {"write"},
    "dress": {"fchown", "fchmod", "utimensat"},
    "set_attributes": {"fsetxattr", "fremovexattr"},
    "sync": {"fsync"},
    "sync_folder": {"fsync"},
    "rename": {"rename", "renameat", "renameat2"},
    "remove": {"unlink", "unlinkat"},
    "make_folder": {"mkdir", "mkdirat"},
    "remove_folder": {"rmdir", "unlinkat"},
    "remove_tree": {"rmdir", "unlink", "unlinkat"},
    "scratch": {"open", "openat", "unlink"},
    "commit": {"fsync", "fdatasync"},  # of the folder, by SQLite
}
BY_FD = {
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "fsync",
    "fdatasync", "sync_file_range", "fchmod", "fchown", "fsetxattr", "fremovexattr",
    "copy_file_range", "sendfile", "splice",
}  # fmt: skip
BY_NAME = {
    "open", "openat", "openat2", "creat", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    "link", "linkat", "symlink", "symlinkat", "mkdir", "mkdirat", "rmdir", "mknod", "mknodat",
    "truncate", "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "utimensat",
    "utime", "utimes", "setxattr", "lsetxattr", "removexattr", "lremovexattr",
}  # fmt: skip
OPENS = {"open", "openat", "openat2"}
CALL = re.compile(r"^(\d+) +(\w+)\((.*)$")
FD = re.compile(r"(?:\d+|AT_FDCWD)<([^>]*)>(\(deleted\))?")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Change:
    call: str
    path: str
    function: str | None  # the innermost that was running


def changes(trace: Path, roots: tuple[Path, ...]) -> Iterator[Change]:
    running: dict[str, list[str]] = {}
    for line in trace.read_text("utf-8", "surrogateescape").splitlines():
        found = CALL.match(line)
        if found is None:  # a signal, an exit, the end of a call that is shown above
            continue
        process, call, rest = found.groups()
        stack = running.setdefault(process, [])
        if call == "readlink" and MARK in rest:
            word = rest.split(MARK)[1].split('"')[0]
            if word[0] == "+":
                stack.append(word[1:])
            else:
                assert stack.pop() == word[1:]
            continue
        path = None if " = -1 E" in line else changed(call, rest)
        if path is not None and any(Path(path).is_relative_to(root) for root in roots):
            yield Change(call, path, stack[-1] if stack else None)


def changed(call: str, rest: str) -> str | None:
    if call in BY_FD or (call == "utimensat" and re.match(r"\d+<[^>]*>, NULL", rest)):
        fd = FD.match(rest)
        return None if fd is None or fd[2] else fd[1]
    if call not in BY_NAME:
        return None
    if call in OPENS and not re.search(r"O_CREAT|O_TRUNC|O_TMPFILE", rest):
        return None
    folder, name = FD.match(rest), QUOTED.search(rest)
    assert name is not None, rest
    return str(Path(folder[1] if folder else "/", name[1]))


def excused(change: Change, journal: Path, databases: tuple[str, ...]) -> bool:
    """The lock, whose content means nothing; private copies, which nobody misses; the files of
    SQLite, which makes its own writes whole: `test_kill_sqlite` kills those."""
    if change.path == str(journal / "lock"):
        return True
    if any(part.startswith("copy-") for part in Path(change.path).relative_to("/").parts):
        return True
    return any(
        change.path in (base, f"{base}-journal", f"{base}-wal", f"{base}-shm") for base in databases
    )


@dataclass(frozen=True)
class Bench:
    folder: Path
    databases: tuple[str, ...]

    def run(self, *words: str, stray: bool = False) -> tuple[list[Change], list[Change]]:
        """All changes of one command, and those that nobody knows of."""
        trace, journal = self.folder / "trace", self.folder / "journal"
        calls = ",".join(f"?{name}" for name in sorted({*BY_FD, *BY_NAME, "readlink"}))
        paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "repair")])
        environment = {**os.environ, "PYTHONPATH": paths, "SUTURE_JOURNAL": str(journal)}
        environment.pop("SUTURE_TEST_STRAY", None)
        if stray:
            environment["SUTURE_TEST_STRAY"] = "1"
        strace = ["strace", "-f", "-y", "-s", "300", "-o", str(trace), "-e", f"trace={calls}"]
        script = str(ROOT / "tests" / "repair" / "traced.py")
        done = subprocess.run(
            [*strace, sys.executable, script, *words],
            env=environment,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        found = list(changes(trace, (self.folder / "store", journal)))
        unknown = [
            change
            for change in found
            if change.call not in KNOWN.get(change.function or "", ())
            and not excused(change, journal, self.databases)
        ]
        return found, unknown


@pytest.fixture
def strace() -> None:
    why = None
    if shutil.which("strace") is None:
        why = "strace is not installed"
    elif subprocess.run(["strace", "-f", "true"], capture_output=True, check=False).returncode:
        why = "strace may not trace here"
    if why and os.environ.get("SUTURE_NO_SKIP"):
        pytest.fail(why)
    if why:
        pytest.skip(f"{why}: what touches the disk was not compared with what the kernel sees")


def bench(kind: str, folder: Path) -> Bench:
    store, databases = folder / "store", tuple[str, ...]()
    if kind == "compressed":
        store.mkdir()
        (rollout,) = (SAMPLES / "codex" / "killed-in-tool").rglob(ROLLOUT)
        (store / f"{ROLLOUT}.zst").write_bytes(zstd.compress(rollout.read_bytes()))
    else:
        shutil.copytree(SAMPLES / kind, store)
        databases = tuple(str(path) for path in store.rglob("*.db"))
    plan = api.plan(Scope((str(store),), assume="dead"), Wanted(), folder / "plan.json")
    assert any(unit.steps for unit in plan.units)
    return Bench(folder, databases)


@pytest.mark.usefixtures("strace")
@pytest.mark.parametrize("kind", ["codex/killed-in-tool", "compressed", "laxcode/interrupted"])
def test_every_change_comes_from_a_function_that_the_kill_tests_stop_at(
    kind: str, tmp_path: Path
) -> None:
    desk = bench(kind, tmp_path)
    seen: Counter[str] = Counter()
    for words in (("apply", str(tmp_path / "plan.json"), "--yes"), ("undo", "--last", "--yes")):
        found, unknown = desk.run(*words)
        assert not unknown, unknown[:5]
        seen.update(change.call for change in found)
    print(f"{sum(seen.values())} changes of the disk in apply and undo, {kind}: {dict(seen)}")
    assert {"write", "fsync", "rename", "mkdir", "fchmod"} <= seen.keys()


@pytest.mark.usefixtures("strace")
def test_a_function_that_the_kill_tests_do_not_know_would_be_seen(tmp_path: Path) -> None:
    found, unknown = bench("codex/killed-in-tool", tmp_path).run(
        "apply", str(tmp_path / "plan.json"), "--yes", stray=True
    )
    assert len(unknown) < len(found)
    assert {change.call for change in unknown} == {"fsync"}


def test_the_list_names_functions_that_are_there() -> None:
    assert KNOWN.keys() <= functions().keys()
