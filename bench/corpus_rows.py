"""What the corpora say: speed beside other readers of the same bytes, memory, what was found."""

import json
from collections.abc import Sequence
from pathlib import Path

import commands
import truth
from inputs import Corpus
from measure import Cost
from table import NOTHING, Table, megabytes, seconds, shown, speed, times


def corpus_table(corpora: Sequence[Corpus], start: dict[str, Cost], repeat: int) -> Table:
    """`start` is what `check` costs on almost nothing, per tool."""
    table = Table("The corpora", [f"{corpus.tool} {corpus.state}" for corpus in corpora])
    sizes = [corpus.size() for corpus in corpora]
    costs = [commands.check(corpus.folder, repeat) for corpus in corpora]
    table.add("size", [f"{size / 1e6:.1f} MB" for size in sizes])
    table.add("files", [f"{len(corpus.paths()):,}" for corpus in corpora])
    table.add("records", [f"{corpus.records():,}" for corpus in corpora])
    table.add("`check`, wall", [seconds(cost.wall) for cost in costs])
    table.add("`check`, CPU", [seconds(cost.cpu) for cost in costs])
    net = [
        speed(size, cost.cpu - start[corpus.tool].cpu)
        for corpus, size, cost in zip(corpora, sizes, costs, strict=True)
    ]
    whole = [speed(size, cost.cpu) for size, cost in zip(sizes, costs, strict=True)]
    table.add("MB a CPU second, start taken off", [shown(v, "MB") for v in net], "≥ 200")
    table.add("MB a CPU second, all counted", [shown(v, "MB") for v in whole], "≥ 120")
    table.add("peak memory, largest process", [megabytes(c.largest) for c in costs])
    table.add("peak memory, all processes", [megabytes(c.together) for c in costs], "≤ 300 MB")
    _checksum_rows(table, corpora, costs, repeat)
    _reader_rows(table, corpora, net, repeat)
    _quality_rows(table, corpora)
    return table


def _checksum_rows(
    table: Table, corpora: Sequence[Corpus], costs: Sequence[Cost], repeat: int
) -> None:
    for processes, bar in ((1, "≤ 1.5 x"), (2, "")):
        sums = [
            commands.sha256sum(corpus.paths(), corpus.folder.parent, repeat, processes)
            for corpus in corpora
        ]
        name = f"`sha256sum`, {processes} process{'es' if processes > 1 else ''}"
        ratios = [cost.wall / s.wall for cost, s in zip(costs, sums, strict=True)]
        table.add(f"{name}, wall", [seconds(s.wall) for s in sums])
        table.add(f"`check` wall / {name}", [times(ratio) for ratio in ratios], bar)


def _reader_rows(
    table: Table, corpora: Sequence[Corpus], net: Sequence[float | None], repeat: int
) -> None:
    """Healthy files only: these readers give up at the first damaged line."""
    for label, name in (
        ("`json.loads` a line", "json.loads"),
        ("DuckDB `read_json`", "duckdb"),
        ("DuckDB `read_json`, columns given", "duckdb-{tool}"),
    ):
        speeds = [
            _reader_speed(name.format(tool=corpus.tool), corpus, repeat)
            if corpus.state == "healthy"
            else None
            for corpus in corpora
        ]
        ratios = [
            times(ours / theirs) if ours and theirs else NOTHING
            for ours, theirs in zip(net, speeds, strict=True)
        ]
        table.add(f"{label}, MB a CPU second", [shown(v, "MB") for v in speeds])
        table.add(f"`check` / {label}, start taken off both", ratios)


def _reader_speed(name: str, corpus: Corpus, repeat: int) -> float | None:
    def cpu(*folders: Path) -> float:
        return commands.reader(name, folders, corpus.folder.parent, repeat).cpu

    return speed(corpus.size(), cpu(corpus.folder) - cpu())


def _quality_rows(table: Table, corpora: Sequence[Corpus]) -> None:
    scores = [_score(corpus) for corpus in corpora]
    healthy = [corpus.state == "healthy" for corpus in corpora]
    rows = list(zip(scores, healthy, strict=True))
    table.add("findings above info", [str(s.told) if ok else NOTHING for s, ok in rows], "0")
    table.add("faults", [NOTHING if ok else str(s.injected.total()) for s, ok in rows])
    table.add("recall", [NOTHING if ok else f"{s.recall:.3f}" for s, ok in rows], "≥ 0.99")
    table.add("recall, worst kind", [NOTHING if ok else _worst(s) for s, ok in rows], "≥ 0.95")
    table.add("precision", [NOTHING if ok else f"{s.precision:.3f}" for s, ok in rows], "≥ 0.95")


def _score(corpus: Corpus) -> truth.Score:
    report = json.loads(commands.report_beside(corpus.folder).read_text("utf-8"))
    return truth.score(truth.faults_in(corpus.truth()), report["findings"])


def _worst(score: truth.Score) -> str:
    kind = min(sorted(score.injected), key=score.recall_of)
    value = score.recall_of(kind)
    return f"{value:.2f}" + (f" ({kind})" if value < 1 else "")
