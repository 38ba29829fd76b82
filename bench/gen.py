"""Writes a made-up session store with faults in it, and a file that tells where they are.

    python bench/gen.py claude OUT --files 200 --total-mb 200 --seed 1 --faults 3
    python bench/gen.py codex OUT

The same arguments give the same bytes. Beside OUT stands OUT.truth.json:
{"tool", "seed", "files": {path: {"bytes", "lines", "paginated", "faults": […]}}},
a fault being {"kind", "line", "id"}, where a line is counted from 1 in the file as written.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

from claude_sessions import CLAUDE
from codex_sessions import CODEX
from damage import rendered
from faults import inject
from invent import Inventor
from patient import Patient
from sessions import JsonObject, Tool

TOOLS = {tool.name: tool for tool in (CLAUDE, CODEX)}
_SMALLEST = 12_000


@dataclass(frozen=True, slots=True)
class Order:
    """What to make: so many files and bytes, and so many faults in each file."""

    tool: str
    files: int = 200
    size: int = 200_000_000
    seed: int = 1
    faults: int = 0


def make(order: Order, folder: Path) -> JsonObject:
    """Writes the store; returns the truth about it, which is written beside it."""
    tool = TOOLS[order.tool]
    inventor, random = Inventor(Random(order.seed)), Random(order.seed * 31 + 5)
    shares = [random.lognormvariate(0, 1.2) for _ in range(order.files)]
    files: JsonObject = {}
    for number, share in enumerate(shares):
        size = max(_SMALLEST, int(order.size * share / sum(shares)))
        kinds = [tool.kinds[(number + k) % len(tool.kinds)] for k in range(order.faults)]
        path, content, facts = _file(tool, inventor, random, number, size, kinds)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        files[path] = facts
    truth = {"tool": order.tool, "seed": order.seed, "files": files}
    truth_beside(folder).write_text(json.dumps(truth, indent=1) + "\n", "utf-8")
    return truth


def truth_beside(folder: Path) -> Path:
    return folder.with_name(folder.name + ".truth.json")


def _file(
    tool: Tool, inventor: Inventor, random: Random, number: int, size: int, kinds: list[str]
) -> tuple[str, bytes, JsonObject]:
    session = tool.invent(inventor, size)
    while any(kind.startswith("ord_") for kind in kinds) and not session.has_ordinals:
        session = tool.invent(inventor, size)
    patient = Patient(tool, session, inventor, random)
    faults = [fault for kind in kinds if (fault := inject(patient, kind))]
    content, places = rendered(session, faults)
    facts = {
        "bytes": len(content),
        "lines": content.count(b"\n") + (not content.endswith(b"\n")),
        "paginated": session.has_ordinals,
        "faults": [{"kind": f.kind, "id": f.id, "line": places[f.record]} for f in faults],
    }
    return tool.path(number, session.id), content, facts


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--total-mb", type=float, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=0, help="in each file; 0 is healthy")
    given = parser.parse_args()
    size = int(given.total_mb * 1e6)
    truth = make(Order(given.tool, given.files, size, given.seed, given.faults), given.out)
    files = truth["files"].values()
    print(
        given.out, sum(f["bytes"] for f in files), "bytes", sum(f["lines"] for f in files), "lines"
    )


if __name__ == "__main__":
    _main()
