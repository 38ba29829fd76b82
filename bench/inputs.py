"""The files that are measured, made once and kept for the next run if a folder is given."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAULTS_A_FILE = 3
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Corpus:
    tool: str
    state: str  # healthy, faulty
    folder: Path

    def truth(self) -> dict[str, Any]:
        path = self.folder.with_name(self.folder.name + ".truth.json")
        truth: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return truth

    def paths(self) -> list[Path]:
        return sorted(self.folder.rglob("*.jsonl"))

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.paths())

    def records(self) -> int:
        return sum(facts["lines"] for facts in self.truth()["files"].values())


def corpora(work: Path, tools: list[str], files: int, mb: float, seed: int) -> Iterator[Corpus]:
    for tool in tools:
        for state in ("healthy", "faulty"):
            yield corpus(work, tool, state, files, mb, seed)


def corpus(work: Path, tool: str, state: str, files: int, mb: float, seed: int) -> Corpus:
    folder = work / f"{tool}-{state}-{files}-files-{mb:g}-mb-seed-{seed}"
    done = folder.with_name(folder.name + ".truth.json")  # written last
    if not done.exists():
        faults = FAULTS_A_FILE if state == "faulty" else 0
        _made(
            *("gen.py", tool, folder, "--files", files, "--total-mb", mb),
            *("--seed", seed, "--faults", faults),
        )
    return Corpus(tool, state, folder)


def single(work: Path, kind: str, tool: str, size: int = 0) -> Corpus:
    folder = work / f"{tool}-{kind}-{size}"
    done = folder.with_name(folder.name + ".done")
    if not done.exists():
        _made("single_files.py", kind, tool, folder, "--size", size)
        done.touch()
    return Corpus(tool, "healthy", folder)


def _made(script: str, *arguments: object) -> None:
    # In a process of its own: a child starts with its parent's memory in its books, so this
    # process must stay small.
    command = [sys.executable, str(_HERE / script), *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
