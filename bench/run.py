"""Measures `suture check` and prints Markdown tables for bench/README.md.

    python bench/run.py                             # 200 MB in 200 files, of each kind
    python bench/run.py --mb 4 --files 8            # a smoke test
    python bench/run.py --keep /tmp/corpora --large --only large
    python bench/run.py --only sql --rows 100000    # SQLite, PostgreSQL, MariaDB

Every ratio is of two numbers of this one run. A slow machine fails nothing: the exit code is 0
unless a measured command crashes.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from corpus_rows import corpus_table
from inputs import corpora
from machine import facts
from measure import CommandFailed
from single_rows import growth_table, large_table, start, start_table
from sql_rows import server_table, sqlite_table
from table import Table

_PARTS = ("corpora", "start", "growth", "large", "sql")
_APART = ("large", "sql")  # take long: only if they are asked for
_TOOLS = ("claude", "codex")


def _tables(work: Path, given: argparse.Namespace) -> Iterator[Table]:
    tools: list[str] = given.tool or list(_TOOLS)
    asked = {"large": given.large, "sql": given.sql}
    parts = given.only or [part for part in _PARTS if asked.get(part, True)]
    sizes = (given.files, given.mb, given.seed)
    starts = {tool: start(work, tool) for tool in tools} if {*parts} - {*_APART} else {}
    if "corpora" in parts:
        yield corpus_table(list(corpora(work, tools, *sizes)), starts, given.repeat)
    if "start" in parts:
        yield start_table(work, starts)
    if "growth" in parts:
        yield growth_table(work, starts, *sizes, given.repeat)
    if "large" in parts:
        yield large_table(work, tools)
    if "sql" in parts:
        yield sqlite_table(work, given.rows, given.repeat)
        for dialect in ("postgresql", "mysql"):
            yield server_table(work, dialect, given.rows, given.repeat)


def _main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=float, default=200, help="size of each corpus")
    parser.add_argument("--files", type=int, default=200, help="files of each corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=2, help="runs of which the best counts")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the files here; reuse them")
    parser.add_argument("--only", action="append", choices=_PARTS, help="repeatable")
    parser.add_argument("--tool", action="append", choices=_TOOLS, help="repeatable")
    parser.add_argument("--large", action="store_true", help="200 MB lines, millions of records")
    parser.add_argument("--sql", action="store_true", help="SQLite, PostgreSQL and MariaDB")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of each SQL store")
    given = parser.parse_args()
    for line in facts():
        print(f"- {line}")
    print(
        f"- `--mb {given.mb:g} --files {given.files} --seed {given.seed}`, best of {given.repeat}\n"
    )
    try:
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            _print(given.keep.resolve(), given)
        else:
            with tempfile.TemporaryDirectory(prefix="suture-bench-") as work:
                _print(Path(work), given)
    except CommandFailed as failure:
        print(f"a measured command failed: {failure}", file=sys.stderr)
        return 1
    return 0


def _print(work: Path, given: argparse.Namespace) -> None:
    for table in _tables(work, given):
        print(table.markdown(), flush=True)


if __name__ == "__main__":
    sys.exit(_main())
