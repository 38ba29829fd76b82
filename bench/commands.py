"""The commands that are measured, each run several times."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from measure import NOTHING, CommandFailed, Cost, best, cost

_SUTURE = (sys.executable, "-m", "suture")
_READERS = (sys.executable, str(Path(__file__).with_name("readers.py")))


def check(folder: Path, repeat: int) -> Cost:
    """Leaves the report as JSON beside the folder."""
    command = (*_SUTURE, "check", folder, "--format", "json")
    report = report_beside(folder)
    least = _best(command, report, repeat, codes=(0, 1))
    if not report.stat().st_size:  # Python without suture exits with 1 as well
        raise CommandFailed(report.with_name(report.name + ".stderr").read_text("utf-8"))
    return least


def check_store(words: Sequence[str | Path], work: Path, repeat: int) -> Cost:
    """Of a healthy store: a finding is a failure of the bench."""
    return _best((*_SUTURE, "check", *words), work / "check", repeat)


def report_beside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.report.json")


def version(work: Path, repeat: int) -> Cost:
    return _best((*_SUTURE, "--version"), work / "version", repeat)


def sha256sum(paths: Sequence[Path], work: Path, repeat: int, processes: int) -> Cost:
    names = work / "names"
    names.write_bytes(b"".join(bytes(path) + b"\0" for path in paths))
    share = -(-len(paths) // processes)
    tool = ["sha256sum"] if shutil.which("sha256sum") else ["shasum", "-a", "256"]
    command = ["xargs", "-0", f"-P{processes}", f"-n{share}", *tool]
    return _best(command, work / "sums", repeat, names)


def reader(name: str, folders: Sequence[Path], work: Path, repeat: int) -> Cost:
    """Another way to read the files; see readers.py."""
    return _best((*_READERS, name, *folders), work / name, repeat)


def _best(
    command: Sequence[str | Path],
    out: Path,
    repeat: int,
    stdin: Path = NOTHING,
    codes: Sequence[int] = (0,),
) -> Cost:
    return best([cost(command, out, stdin, codes) for _ in range(repeat)])
