"""The walk from a record to its root comes back to where it was.

## Why it matters
Claude Code before 2.1.30 hangs on such a chain; later versions stop the walk, so everything above
the circle is gone from the model's view.

## Example
    b  parent c
    c  parent b

## Repair
Cut the circle where a parent stands later in the file, and hang that record on the nearest earlier
one that nothing follows yet. Lossy: the link is inferred. Where two records share an id, giving the
later one a fresh id (id-collision) comes first and usually opens the circle.
"""

from collections.abc import Collection, Iterator, Mapping

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import Links
from suture.validators._links import link, links
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

# A circle holds a record whose parent does not stand before it.
_SUSPECT = """
select distinct r.session, s.unit
from record r
join record up on up.session = r.session and up.id = r.parent
join session s on s.session = r.session
where r.chained and up.chained and up.n >= r.n
order by s.unit, r.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    suspects = db.rows(_SUSPECT) if db.has("unlinked") else ()
    link(db, (suspect.session for suspect in suspects))
    for suspect in suspects:
        found = links(db, suspect.session)
        circles = list(found.circles())
        holders = _holders(found, circles)
        for circle in circles:
            yield _hit(found, circle, holders)


def _holders(found: Links, circles: Collection[list[int]]) -> Mapping[str, list[int]]:
    """Of each id in a circle: all records that have it."""
    if not circles:
        return {}
    members = {n for circle in circles for n in circle}
    ids = found.records.columns("n", "id")
    holders: dict[str, list[int]] = {name: [] for n, name in ids if n in members}
    for n, name in found.records.columns("n", "id"):
        if name in holders:
            holders[name].append(n)
    return holders


def _hit(found: Links, circle: list[int], holders: Mapping[str, list[int]]) -> Hit:
    cut = next(n for n in circle if (up := found.up(n)) is not None and up >= n)
    named = sorted(n for i in {found.records[n].id for n in circle} for n in holders[i])
    ids = dict.fromkeys(found.records[n].id for n in named)
    message = f"parents of {len(circle)} records run in a circle"
    if len(circle) == 1:
        message = "record is its own parent"
    return hit(
        found.records[named[0]],
        message,
        ids,
        anchor=" ".join(sorted(ids)),
        n=cut,
        to=found.nearest_before(cut),
        shared=len(named) > len(ids),
        lines=[found.records[n].line for n in named],
    )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts["shared"]:
        return None
    session, n = number(finding, "session"), number(finding, "n")
    to = None if finding.facts["to"] is None else number(finding, "to")
    link = (Reparent(session, n, to),)
    return Repair("open the circle where a parent stands later", link, Safety.LOSSY)


RULE = Rule("403", "cycle", Severity.ERROR, check, fix, needs=("parent",))
