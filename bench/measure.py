"""What a command costs: wall time, CPU time and memory, its own and that of all it starts."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

NOTHING = Path(os.devnull)
_LOOK_EVERY = 0.05  # seconds between two looks at the memory
# ru_maxrss is in KiB on Linux and in bytes on macOS
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    wall: float
    cpu: float  # user and system, with the children that were waited for
    largest: int  # most bytes that one process held
    together: int | None  # most bytes that all held at once, shared pages once; None if unknown
    code: int


class CommandFailed(Exception):
    """A measured command ended as it must not."""


def cost(
    command: Sequence[str | Path],
    out: Path,
    stdin: Path = NOTHING,
    codes: Sequence[int] = (0,),
    variables: Mapping[str, str] | None = None,
) -> Cost:
    """Runs the command in the folder of `out`, where its results go."""
    parts = [str(part) for part in command]
    errors = out.with_name(out.name + ".stderr")
    environment = {**os.environ, "PYTHONSAFEPATH": "1", **(variables or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what pip installs is compiled
    # wait4 and not getrusage: its numbers are of this child alone, and its peak is not the
    # largest of all children so far.
    with stdin.open("rb") as source, out.open("wb") as sink, errors.open("wb") as complaints:
        start = perf_counter()
        process = subprocess.Popen(
            parts, stdin=source, stdout=sink, stderr=complaints, cwd=out.parent, env=environment
        )
        watch = _Watch(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - start
    together = watch.stop()
    process.returncode = os.waitstatus_to_exitcode(status)  # nobody shall wait for it again
    if process.returncode not in codes:
        raise CommandFailed(
            f"exit {process.returncode}: {' '.join(parts[:6])}\n{errors.read_text('utf-8')[-2000:]}"
        )
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(wall, cpu, usage.ru_maxrss * _RSS_UNIT, together, process.returncode)


def best(costs: Sequence[Cost]) -> Cost:
    """The least of each time, which other work disturbs least, and the most memory."""
    seen = [cost.together for cost in costs if cost.together is not None]
    return Cost(
        min(cost.wall for cost in costs),
        min(cost.cpu for cost in costs),
        max(cost.largest for cost in costs),
        max(seen) if seen else None,
        costs[0].code,
    )


class _Watch:
    """Looks at the memory of a process and its children until it is told to stop."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._most: int | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(_LOOK_EVERY):
            held = sum(_held(process) for process in _family(self._process))
            if held:
                self._most = max(self._most or 0, held)

    def stop(self) -> int | None:
        self._over.set()
        self._thread.join()
        return self._most


def _family(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        children = [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except OSError:  # it ended meanwhile, or this system has no /proc
        return [process]
    return [process, *(member for child in children for member in _family(child))]


def _held(process: int) -> int:
    """The proportional share: a page that two processes share counts half in each."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
