"""Measures other tools for the same files, each in its own venv. Needs a network once.

    python bench/peers.py --mb 20 --files 40 --keep /tmp/corpora

A fault counts as found if anything that a tool says above info names its line, whatever it says:
their rules are not ours. Tools that name no lines have no recall; how many damaged and how many
healthy files they complain about is told for all.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inputs import Corpus, corpus
from machine import facts
from measure import CommandFailed, Cost, cost
from table import NOTHING, Table, shown, speed
from truth import NOT_SCORED

_CACHE = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "suture-bench"
_ANY_CODE = range(128)  # the tools disagree on what a code says
Command = list[str | Path]
Complaint = tuple[str, int | None]  # name of the file, line


@dataclass(frozen=True, slots=True)
class Peer:
    package: str
    tools: tuple[str, ...]  # whose sessions it reads
    run: Callable[[Path, Corpus, Path], tuple[Cost, list[Complaint] | None]]  # None: it only loads
    needs: tuple[str, ...] = ()


def _report(out: Path) -> Any:
    text = out.read_text("utf-8")
    if not text.strip():
        raise CommandFailed(out.with_name(out.name + ".stderr").read_text("utf-8")[-300:])
    return json.loads(text)


def _suture(scripts: Path, corpus: Corpus, work: Path) -> tuple[Cost, list[Complaint]]:
    command: Command = [sys.executable, "-m", "suture", "check", corpus.folder, "--format", "json"]
    spent = cost(command, work / "suture.json", codes=(0, 1))
    findings = _report(work / "suture.json")["findings"]
    told = [f for f in findings if f["severity"] != "info"]
    return spent, [(Path(f["path"]).name, f["line"]) for f in told]


def _sesslint(scripts: Path, corpus: Corpus, work: Path) -> tuple[Cost, list[Complaint]]:
    command: Command = [scripts / "sesslint", "check", "--recursive", "--json", corpus.folder]
    spent = cost(command, work / "sesslint.json", codes=_ANY_CODE)
    return spent, [
        (Path(file["path"]).name, (finding["span"] or {}).get("line"))
        for file in _report(work / "sesslint.json")["files"]
        for finding in file["findings"]
        if finding["severity"] != "info"
    ]


def _session_rescue(scripts: Path, corpus: Corpus, work: Path) -> tuple[Cost, list[Complaint]]:
    def of_file(path: Path, report: Any) -> Iterator[Complaint]:
        for finding in report["findings"]:
            if finding["severity"] != "INFO":
                yield path.name, finding.get("line")  # of the whole file: none

    return _a_process_a_file(
        [scripts / "session-rescue", "scan", "--format", "json"], corpus, work, of_file
    )


def _codex_rescue(scripts: Path, corpus: Corpus, work: Path) -> tuple[Cost, list[Complaint]]:
    def of_file(path: Path, report: Any) -> Iterator[Complaint]:
        for _ in set(report["data"]["findings"]) - {"HEALTHY"}:
            yield path.name, None

    command: Command = [scripts / "codex-rescue", "doctor", "--json", "--codex-home", corpus.folder]
    return _a_process_a_file(command, corpus, work, of_file)


def _a_process_a_file(
    command: Command,
    corpus: Corpus,
    work: Path,
    complaints: Callable[[Path, Any], Iterator[Complaint]],
) -> tuple[Cost, list[Complaint]]:
    costs: list[Cost] = []
    told: list[Complaint] = []
    for path in corpus.paths():
        costs.append(cost([*command, path], work / "report.json", codes=_ANY_CODE))
        told += complaints(path, _report(work / "report.json"))
    wall, cpu = sum(c.wall for c in costs), sum(c.cpu for c in costs)
    return replace(costs[0], wall=wall, cpu=cpu, largest=max(c.largest for c in costs)), told


def _analytics(scripts: Path, corpus: Corpus, work: Path) -> tuple[Cost, None]:
    """Loads what lies in the home of the user, so it is given one."""
    home = work / f"home-{corpus.folder.name}"
    client = home / f".{corpus.tool}"
    home.mkdir(exist_ok=True)
    if not client.exists():
        client.symlink_to(corpus.folder)
    variables = {
        "HOME": str(home),
        "SESSIONS_DB": str(home / "sessions.duckdb"),
        "PATH": f"{scripts}:{os.environ['PATH']}",  # it calls the command `duckdb`
    }
    command: Command = [scripts / "agent-session-analytics", "ingest", "--force"]
    spent = cost(command, work / "analytics", variables=variables)
    return spent, None


_PEERS = (
    Peer("suture", ("claude", "codex"), _suture),
    Peer("sesslint", ("claude",), _sesslint),
    Peer("codex-rescue", ("codex",), _codex_rescue),
    Peer("agent-session-rescue", ("codex",), _session_rescue),
    Peer("agent-session-analytics", ("claude", "codex"), _analytics, needs=("duckdb-cli",)),
)


def _scripts(peer: Peer) -> Path:
    """Installs the tool, once."""
    if peer.package == "suture":
        return Path(sys.executable).parent
    venv = _CACHE / peer.package
    scripts = venv / "bin"
    done = venv / "installed"
    if not done.exists():
        for command in (
            [sys.executable, "-m", "venv", str(venv)],
            [str(scripts / "python"), "-m", "pip", "install", "-q", peer.package, *peer.needs],
        ):
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode:
                raise CommandFailed(result.stderr.strip()[-300:])
        done.touch()
    return scripts


def _version(peer: Peer, scripts: Path) -> str:
    code = f"from importlib.metadata import version; print(version('{peer.package}'))"
    command = [str(scripts / "python"), "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "checkout"


def _recall(corpus: Corpus, told: list[Complaint]) -> str:
    if all(line is None for _, line in told):
        return NOTHING
    named = set(told)
    hits = [
        (Path(path).name, fault["line"]) in named
        for path, file in corpus.truth()["files"].items()
        for fault in file["faults"]
        if fault["kind"] not in NOT_SCORED
    ]
    return f"{sum(hits) / len(hits):.2f}"


def _row(peer: Peer, scripts: Path, healthy: Corpus, faulty: Corpus, work: Path) -> list[str]:
    spent, calm = peer.run(scripts, healthy, work)
    fast = shown(speed(healthy.size(), spent.cpu), "MB")
    memory = f"{spent.largest / 1e6:,.0f} MB"
    _, alarmed = peer.run(scripts, faulty, work)
    if calm is None or alarmed is None:
        return [_version(peer, scripts), fast, memory, *[NOTHING] * 3]
    counts = [
        f"{len({name for name, _ in told})} of {len(corpus.paths())}"
        for corpus, told in ((faulty, alarmed), (healthy, calm))
    ]
    return [_version(peer, scripts), fast, memory, _recall(faulty, alarmed), *counts]


def _table(work: Path, files: int, mb: float, seed: int) -> Table:
    columns = ["version", "MB a CPU second", "memory", "recall", "faulty files", "healthy files"]
    table = Table("Other tools", columns, ("tool", "sessions"))
    for tool in ("claude", "codex"):
        healthy, faulty = (
            corpus(work, tool, state, files, mb, seed) for state in ("healthy", "faulty")
        )
        for peer in (peer for peer in _PEERS if tool in peer.tools):
            try:
                cells = _row(peer, _scripts(peer), healthy, faulty, work)
            except CommandFailed as failure:
                why = " ".join(str(failure).split())
                print(f"{peer.package} could not be run: {why}", file=sys.stderr)
                cells = ["could not be run", *[NOTHING] * (len(columns) - 1)]
            table.add(peer.package, cells, tool)
    return table


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=float, default=20)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the files here; reuse them")
    given = parser.parse_args()
    for line in facts():
        print(f"- {line}")
    print(f"- `--mb {given.mb:g} --files {given.files} --seed {given.seed}`\n")
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        print(_table(given.keep.resolve(), given.files, given.mb, given.seed).markdown())
        return
    with tempfile.TemporaryDirectory(prefix="suture-bench-") as work:
        print(_table(Path(work), given.files, given.mb, given.seed).markdown())


if __name__ == "__main__":
    _main()
