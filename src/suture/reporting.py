"""Findings → the report: verdict, what each session's resume will lose, what can be repaired."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from suture import stores
from suture.db.tails import tails
from suture.effects import beside, effect_on, signed_until
from suture.model.finding import Finding, Severity
from suture.model.place import Span
from suture.model.report import Effect, Report, Reported, Resume, SessionState, SourceState
from suture.model.selection import Selection
from suture.model.unit import UNKNOWN
from suture.run import Judged

_UNBOUND = "signed thinking behind the gap is sent as it is, and the provider refuses it"


def report(
    judged: Judged,
    notices: Sequence[str],
    selection: Selection | None = None,
    states: Mapping[int, SessionState] | None = None,
) -> Report:
    """What a resume finds is told of all that is there, whatever is selected. `states`: by the
    keys of the sessions, if the caller has them."""
    chosen = selection or Selection()
    found = reported(judged, chosen)
    told = [item.finding for item in found]
    sessions = tuple((session_states(judged) if states is None else states).values())
    return Report(
        verdict(told),
        tuple(_sources(judged)),
        sessions,
        found,
        tuple(notices),
        _summary(judged, told, sessions),
        chosen.fail_on,
    )


def reported(judged: Judged, selection: Selection) -> tuple[Reported, ...]:
    versions = _versions(judged)
    told = (
        finding if level is finding.severity else replace(finding, severity=level)
        for finding in judged.all
        if (level := selection.level(finding)) is not None
    )
    return tuple(_reported(judged, finding, versions) for finding in told)


def levels(findings: Sequence[Finding]) -> dict[str, int]:
    counts = Counter(f.severity.label for f in findings)
    return {level.label: counts[level.label] for level in sorted(Severity, reverse=True)}


def verdict(findings: Sequence[Finding]) -> str:
    worst = max((f.severity for f in findings), default=Severity.INFO)
    return {Severity.ERROR: "damaged", Severity.WARN: "findings", Severity.INFO: "clean"}[worst]


def _versions(judged: Judged) -> dict[int, tuple[str, str | None]]:
    rows = judged.db.rows("select session, store, version from session")
    return {row.session: (row.store, row.version) for row in rows}


def _reported(
    judged: Judged, finding: Finding, versions: dict[int, tuple[str, str | None]]
) -> Reported:
    key = finding.facts.get("session")
    effect = None
    if isinstance(key, int) and key in versions:
        effect = effect_on(finding, *versions[key])
        if not _counts(finding, effect):
            effect = None
    repair = judged.propose(finding)
    repairs = (f"{repair.title} ({repair.safety.label})",) if repair else ()
    if repairs and isinstance(key, int) and (why := _never(versions[key][0])):
        repairs = (f"not by suture: {why}",)
    return Reported(finding, effect.effect if effect else None, repairs)


@cache
def _never(store: str) -> str | None:
    """Why nothing is ever written to sessions of this store."""
    able = stores.abilities(stores.store_named(store))["apply"]
    return able.remark or able.answer if able.answer == "no" else None


def session_states(judged: Judged) -> dict[int, SessionState]:
    wanted = judged.scope.sessions
    signed = signed_until(judged.db) if judged.by_session else {}
    states = {}
    for key, name, path, store, client, version, _, tail in tails(judged.db):
        if not wanted or name in wanted:
            mine, around = judged.by_session.get(key, ()), beside(judged.around, path, store)
            told = resume_of(mine, around, store, client, version, signed.get(key))
            states[key] = SessionState(name, path, store, tail, *told)
    return states


def _deciding(found: Sequence[Finding], store: str, version: str | None) -> Iterator[Finding]:
    for finding in found:
        effect = effect_on(finding, store, version)
        if effect is not None and effect.resumes != "yes":
            yield finding


def resume_of(
    mine: Sequence[Finding],
    around: Sequence[Finding],
    store: str,
    client: str | None,
    version: str | None,
    signed: int | None = None,
) -> tuple[bool | None, Resume]:
    """Whether a provider would take what is sent, and what the client does with these findings.
    `around`: those of no session, of the same file; `signed`: where the last thinking stands that
    is bound to all before it."""
    found = [*mine, *_deciding(around, store, version)]
    pairs = [(finding, effect_on(finding, store, version)) for finding in found]
    pairs = [(finding, effect) for finding, effect in pairs if _counts(finding, effect)]
    bad, effects = [finding for finding, _ in pairs], [effect for _, effect in pairs]
    known = [e for e in effects if e is not None]
    legal: bool | None = True
    if any(e.legal is False for e in known):
        legal = False
    elif any(e is None or e.legal is None for e in effects):
        legal = None
    told = zip(bad, effects, strict=True)
    heavy = [e for f, e in told if f.severity is Severity.ERROR or (e is not None and e.noted)]
    if any(e is not None and e.resumes == "no" for e in effects):
        resumes = "no"
    elif any(e is None or e.resumes == "unknown" for e in heavy):
        resumes = "unknown"
    elif store == UNKNOWN:  # nobody is known to send it to a provider
        legal, resumes = None, "unknown"
    else:
        resumes = "yes"
    worst_first = sorted(pairs, key=lambda pair: -pair[0].severity)
    loses = tuple(dict.fromkeys(e.effect for _, e in worst_first if e and e.loses))
    if signed is not None and any(e and e.gap and _before(f, signed) for f, e in worst_first):
        legal, loses = False, (*loses, _UNBOUND)
    return legal, Resume(client, version, resumes, loses)


def _counts(finding: Finding, effect: Effect | None) -> bool:
    return finding.severity > Severity.INFO or (effect is not None and effect.noted)


def _before(finding: Finding, offset: int) -> bool:
    return isinstance(finding.place, Span) and finding.place.offset < offset


def _sources(judged: Judged) -> list[SourceState]:
    rows = judged.db.rows(  # the sessions of one database are units that share its file
        "select path, store, max(bytes) as bytes, sum(records)::bigint as records, "
        "max(live) as live from source group by path, store order by min(unit), path"
    )
    return [SourceState(r.path, r.store, r.bytes, r.records, r.live) for r in rows]


def _summary(
    judged: Judged, told: Sequence[Finding], sessions: Sequence[SessionState]
) -> dict[str, int]:
    (row,) = judged.db.rows(
        "select count(*) as files, coalesce(sum(bytes), 0)::bigint as bytes, "
        "(select count(*) from record) as records "
        "from (select path, max(bytes) as bytes from source group by path)"
    )
    return {
        "files": row.files,
        "bytes": row.bytes,
        "sessions": len(sessions),
        "records": row.records,
        **levels(told),
        "left_out": len(judged.all) - len(told),
    }
