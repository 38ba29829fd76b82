"""What the rules about bytes share: the damage of a kind as hits, and repairs of its bytes."""

from collections.abc import Iterator, Sequence
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Cut, Policy, Quarantine, Repair, Replace, Safety
from suture.model.place import Row, Span
from suture.validators._rule import Check, Fix, Hit, Options, hit

# Records won from a line share its number. Their ids come before those of the calls in them.
_DAMAGE = """
create temp table told_damage as
with lines as (select distinct session, line from damage where session is not null),
won as (
    select r.session, r.line, r.n, r.id, r.ordinal
    from record r semi join lines using (session, line)
),
named as (
    select session, line, id, n, 0 as part from won where id is not null
    union all
    select w.session, w.line, c.call_id, w.n, 1 + c.part from won w join call c using (session, n)
    union all
    select w.session, w.line, c.call_id, w.n, 1 + c.part from won w join result c using (session, n)
),
ids as (
    select session, line, list(id order by n, part, id) as ids
    from (select session, line, id, min(n) as n, arg_min(part, n) as part from named group by all)
    group by all
),
ordinals as (select session, line, min(ordinal) as ordinal from won group by all)
select f.* exclude (ids), coalesce(i.ids, f.ids, []) as ids, o.ordinal
from damaged f
left join ids i using (session, line)
left join ordinals o using (session, line)
"""


def damage(db: Database, where: str) -> Sequence[Any]:
    """Rows of the damage table, each with the ids of what was won from its line."""
    if not db.has("damaged"):
        return []
    db.once("told_damage", lambda: db.script(_DAMAGE))
    return db.rows(f"select * from told_damage where {where}")


def damage_hit(row: Any, message: str | None = None, severity: Severity | None = None) -> Hit:
    """The message is what the reader saw, unless another one is given."""
    anchors = (row.raw_id, *row.ids, row.key, row.ordinal)
    return hit(
        row,
        message or row.detail,
        row.ids or [row.raw_id],
        anchor=next((str(a) for a in anchors if a is not None), row.kind),
        severity=severity,
        n=row.n,
        at=row.at,
        fill=row.fill,
        fills=row.fills,
        fixable=row.fixable,
    )


def of_event(row: Any) -> Severity | None:
    """Less than usual for a row of an event log, which nobody reads again."""
    return Severity.WARN if row.table == "event" else None


def is_damage(kind: str) -> Check:
    """The check of a rule that reports every damage of its kind as the reader saw it."""

    def check(db: Database, options: Options) -> Iterator[Hit]:
        for row in damage(db, f"kind = '{kind}'"):
            yield damage_hit(row, severity=of_event(row))

    return check


def cut(title: str) -> Fix:
    def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
        if not isinstance(finding.place, Span):
            return None
        return Repair(title, (Cut(finding.place),), Safety.LOSSY)

    return fix


def quarantine(title: str, row_title: str | None = None) -> Fix:
    """Of a row only where the store says that its clients can do without it (`row_title`)."""

    def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
        if isinstance(finding.place, Row) and row_title and finding.facts.get("fixable"):
            return Repair(row_title, (Quarantine(finding.place),), Safety.LOSSY)
        if not isinstance(finding.place, Span):
            return None
        return Repair(title, (Quarantine(finding.place),), Safety.LOSSY)

    return fix


def places(finding: Finding) -> list[int]:
    """The offsets of the bad bytes in the file."""
    at = finding.facts.get("at")
    return [place for place in at if isinstance(place, int)] if isinstance(at, list) else []


def texts(finding: Finding) -> list[str]:
    """What belongs in each of the places."""
    fills, fill = finding.facts.get("fills"), finding.facts.get("fill")
    if isinstance(fills, list):
        return [str(text) for text in fills]
    return [str(fill)] * len(places(finding)) if fill is not None else []


def replacements(finding: Finding, length: int = 1) -> tuple[Replace, ...]:
    """One operation a bad place of `length` bytes; none where the reader says it would guess."""
    place = finding.place
    if not isinstance(place, Span) or not finding.facts.get("fixable"):
        return ()
    pairs = zip(places(finding), texts(finding), strict=True)
    return tuple(
        Replace(Span(place.path, place.line, at, length), text.encode()) for at, text in pairs
    )


def runs(at: Sequence[int]) -> list[tuple[int, int]]:
    """Offsets that follow each other, as first and length."""
    found: list[tuple[int, int]] = []
    for here in at:
        first, length = found[-1] if found else (here, 0)
        if here == first + length and found:
            found[-1] = (first, length + 1)
        else:
            found.append((here, 1))
    return found
