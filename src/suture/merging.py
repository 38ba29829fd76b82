"""The reports of several ranges of units, put together."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from suture.model.finding import Finding
from suture.model.report import Report, SessionState, SourceState
from suture.model.unit import Unit
from suture.reporting import resume_of, verdict
from suture.run import order

if TYPE_CHECKING:
    import pyarrow as pa


class Made(NamedTuple):
    report: Report
    order: list[int]  # the keys of its sessions
    bad: dict[int, list[Finding]]  # by session: what decides how it resumes
    across: "dict[str, pa.Table]"


def merged(
    made: Sequence[Made],
    across: Report,
    between: Mapping[int, list[Finding]],
    units: Sequence[Unit],
    notices: Sequence[str],
) -> Report:
    """As one look at everything would tell it. `across`: what only several units together show,
    `between`: the same by session."""
    reports = [*(one.report for one in made), across]
    findings = sorted((i for one in reports for i in one.findings), key=lambda i: order(i.finding))
    place = {path: unit.index for unit in reversed(units) for path in unit.paths}
    sources = sorted(
        _sources(source for one in reports for source in one.sources),
        key=lambda source: place.get(source.path, len(units)),
    )
    sizes: dict[str, int] = {}
    for source in sources:
        sizes[source.path] = max(source.bytes or 0, sizes.get(source.path, 0))
    summary: Counter[str] = Counter()
    for one in reports:
        summary.update(one.summary)
    counts = {**summary, "files": len(sizes), "bytes": sum(sizes.values())}
    return Report(
        verdict([item.finding for item in findings]),
        tuple(sources),
        _states(made, between),
        tuple(findings),
        tuple(notices),
        {name: counts.get(name, 0) for name in reports[0].summary},
        across.fail_on,
    )


def _sources(sources: Iterable[SourceState]) -> Iterator[SourceState]:
    """The sessions of one database share its file."""
    found: dict[tuple[str, str], list[SourceState]] = {}
    for source in sources:
        found.setdefault((source.path, source.store), []).append(source)
    for (path, store), same in found.items():
        yield SourceState(
            path,
            store,
            max((s.bytes for s in same if s.bytes is not None), default=None),
            sum(s.records or 0 for s in same),
            max((s.live for s in same if s.live is not None), default=None),
        )


def _states(made: Sequence[Made], between: Mapping[int, list[Finding]]) -> tuple[SessionState, ...]:
    """In the order of their keys; what only several units show changes how a session resumes."""
    found = {
        key: state
        for one in made
        for key, state in zip(one.order, one.report.sessions, strict=True)
    }
    for one in made:
        for key in between.keys() & set(one.order):
            state = found[key]
            mine = sorted([*one.bad.get(key, ()), *between[key]], key=order)
            legal, resume = resume_of(mine, state.store, state.resume.client, state.resume.version)
            found[key] = replace(state, legal=legal, resume=resume)
    return tuple(found[key] for key in sorted(found))
