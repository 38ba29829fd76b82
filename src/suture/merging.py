"""The reports of several ranges of units, put together."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from suture.effects import beside
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
    around: dict[str, list[Finding]]  # by path: what is of no session, and may decide too
    across: "dict[str, pa.Table]"


def merged(
    made: Sequence[Made],
    across: Report,
    between: Mapping[int, list[Finding]],
    units: Sequence[Unit],
    notices: Sequence[str],
    known: Mapping[str, int],
) -> Report:
    """As one look at everything would tell it. `across`: what only several units together show,
    `between`: the same by session. `known`: sizes of what nobody has read as a whole."""
    reports = [*(one.report for one in made), across]
    findings = sorted((i for one in reports for i in one.findings), key=lambda i: order(i.finding))
    place = {path: unit.index for unit in reversed(units) for path in unit.paths}
    sources = sorted(
        _sources((source for one in reports for source in one.sources), known),
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


def _sources(sources: Iterable[SourceState], known: Mapping[str, int]) -> Iterator[SourceState]:
    """The sessions of one database share its file."""
    found: dict[tuple[str, str], list[SourceState]] = {}
    for source in sources:
        found.setdefault((source.path, source.store), []).append(source)
    for (path, store), same in found.items():
        yield SourceState(
            path,
            store,
            known.get(path) or max((s.bytes for s in same if s.bytes is not None), default=None),
            sum(s.records or 0 for s in same),
            max((s.live for s in same if s.live is not None), default=None),
        )


def _states(made: Sequence[Made], between: Mapping[int, list[Finding]]) -> tuple[SessionState, ...]:
    """In the order of their keys. How a session resumes is decided anew where other ranges, or
    all of them together, show something about it."""
    around: dict[str, list[Finding]] = {}
    for path, findings in (item for one in made for item in one.around.items()):
        around.setdefault(path, []).extend(findings)
    found: dict[int, SessionState] = {}
    for one in made:
        for key, state in zip(one.order, one.report.sessions, strict=True):
            needed, more = beside(around, state.path, state.store), between.get(key, ())
            mine = [*one.bad.get(key, ()), *more]
            found[key] = _anew(state, mine, needed) if needed or more else state
    return tuple(found[key] for key in sorted(found))


def _anew(state: SessionState, mine: Sequence[Finding], around: Sequence[Finding]) -> SessionState:
    client, version = state.resume.client, state.resume.version
    ordered = (sorted(mine, key=order), sorted(around, key=order))
    legal, resume = resume_of(*ordered, state.store, client, version)
    loses = tuple(dict.fromkeys((*resume.loses, *state.resume.loses)))
    # what was illegal for its tables alone stays so with more findings
    legal = False if state.legal is False else legal
    return replace(state, legal=legal, resume=replace(resume, loses=loses))
