"""What single files and growing folders say: start-up, linear time, memory on what is large."""

from collections.abc import Sequence
from pathlib import Path

import commands
from inputs import corpus, single
from measure import Cost
from table import NOTHING, Table, megabytes, seconds, times

_MILLION = 1_000_000
_START_REPEATS = 3  # short runs differ more than long ones


def start(work: Path, tool: str) -> Cost:
    """`check` on a file of 1 KB: what is paid before the first byte counts."""
    return commands.check(single(work, "1kb", tool).folder, _START_REPEATS)


def start_table(work: Path, starts: dict[str, Cost]) -> Table:
    table = Table("Starting", list(starts))
    small = [commands.check(single(work, "50kb", tool).folder, _START_REPEATS) for tool in starts]
    table.add("`check` of one 1 KB file, wall", [seconds(c.wall) for c in starts.values()])
    table.add("`check` of one 1 KB file, CPU", [seconds(c.cpu) for c in starts.values()])
    table.add("`check` of one 50 KB file, wall", [seconds(c.wall) for c in small], "≤ 0.7 s")
    version = seconds(commands.version(work, _START_REPEATS).wall)
    rest = [NOTHING] * (len(starts) - 1)
    table.add("`suture --version`, wall", [version, *rest], "≤ 0.2 s")
    return table


def growth_table(
    work: Path, starts: dict[str, Cost], files: int, mb: float, seed: int, repeat: int
) -> Table:
    """Ten times the files, whose sizes are drawn anew; so the bytes are told as well."""
    tools = list(starts)
    table = Table("Ten times the files", tools)
    few = [corpus(work, tool, "healthy", max(1, files // 10), mb / 10, seed) for tool in tools]
    many = [corpus(work, tool, "healthy", 10 * max(1, files // 10), mb, seed) for tool in tools]
    pairs = [
        (commands.check(a.folder, repeat), commands.check(b.folder, repeat))
        for a, b in zip(few, many, strict=True)
    ]
    sizes = [b.size() / a.size() for a, b in zip(few, many, strict=True)]
    table.add(
        "files", [f"{len(a.paths())} → {len(b.paths())}" for a, b in zip(few, many, strict=True)]
    )
    table.add("bytes", [times(size) for size in sizes])
    table.add("wall", [times(b.wall / a.wall) for a, b in pairs], "≤ 11 x")
    table.add("CPU", [times(b.cpu / a.cpu) for a, b in pairs], "≤ 11 x")
    net = [
        (a.cpu - start.cpu, b.cpu - start.cpu)
        for start, (a, b) in zip(starts.values(), pairs, strict=True)
    ]
    table.add("CPU, start taken off", [times(b / a) if a > 0.1 else NOTHING for a, b in net])
    return table


def large_table(work: Path, tools: Sequence[str]) -> Table:
    table = Table("What is large", tools)
    line = [_checked(work, "line", tool, 200 * _MILLION) for tool in tools]
    table.add("one line of 200 MB, wall", [seconds(c.wall) for c in line])
    table.add("one line of 200 MB, peak memory", [megabytes(c.largest) for c in line], "≤ 700 MB")
    one = [_checked(work, "records", tool, _MILLION) for tool in tools]
    two = [_checked(work, "records", tool, 2 * _MILLION) for tool in tools]
    table.add("a file of 1 M records, wall", [seconds(c.wall) for c in one])
    table.add("a file of 1 M records, peak memory", [megabytes(c.largest) for c in one], "≤ 300 MB")
    table.add("a file of 2 M records, wall", [seconds(c.wall) for c in two])
    more = [megabytes(b.largest - a.largest) for a, b in zip(one, two, strict=True)]
    table.add("memory for the second million", more, "≤ 150 MB")
    return table


def _checked(work: Path, kind: str, tool: str, size: int) -> Cost:
    return commands.check(single(work, kind, tool, size).folder, 1)
