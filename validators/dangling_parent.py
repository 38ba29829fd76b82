"""A record hangs on a parent that no record has, or on a record that is no link of the chain.

## Why it matters
A resume walks from the last record to the root by parent links. Where a parent is missing the walk
ends, and everything above is gone from the model's view without a word. Claude Code 2.1.197 bridges
the gap only if the record before is at most five seconds older. A process that was killed before
its queue was written leaves such gaps. A record of a type that Claude Code does not know is no link
for it, so what hangs on one is cut off all the same. Where the session was written by a version
newer than those that were measured, its own types may be links for it: that is no finding.

## Example
    a  parent null
    b  parent a
    d  parent c      (no record is c)

## Repair
Hang the record on the nearest earlier record of the chain that nothing follows yet, or on what the
record that is no link hangs on. Lossy: the link is inferred. Where a line that cannot be read still
tells its id, the record waits for the repair of that line.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import Links, links
from suture.validators._measured import is_newer
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

# Types that a client writes beside the chain; other stores may have more that a child can pass.
_BESIDE = "('unknown', 'index')"
_ANY = f"""
select 1 from record r
anti join record up on up.session = r.session and up.id = r.parent
    and (up.chained or up.kind not in {_BESIDE})
where r.chained and r.parent is not null
limit 1
"""
_DANGLING = f"""
select r.*, beside.type as beside, s.client, s.version from located r
join session s on s.session = r.session
left join record up on up.session = r.session and up.id = r.parent
    and (up.chained or up.kind not in {_BESIDE})
left join (
    select session, id, min(type) as type from record where not chained and kind in {_BESIDE}
    group by all
) beside on beside.session = r.session and beside.id = r.parent
left join damage d on d.session = r.session and d.raw_id = r.parent
where r.chained and r.parent is not null and up.id is null and d.raw_id is null
order by r.unit, r.session, r.n
"""
_OVER = f"""
with recursive over(id, steps) as (
    select ?::varchar, 0
    union all
    select r.parent, steps + 1 from over join record r on r.id = over.id
    where r.session = ? and not r.chained and r.kind in {_BESIDE} and steps < 100
)
select id from over order by steps desc limit 1
"""
_HOLDER = "select max(n) as n from record where session = ? and chained and id = ?"
_MOST_NAME = 60


def check(db: Database, options: Options) -> Iterator[Hit]:
    dangling = db.rows(_DANGLING) if db.rows(_ANY) else ()
    for session, rows in groupby(dangling, key=lambda row: row.session):
        found = links(db, session)
        for row in rows:
            message = "parent is an id that no record has, what stands before is cut off"
            nearest = found.nearest_before(row.n) if row.n in found.records else None
            over = None
            if row.beside is not None:
                if is_newer(row.client, row.version):
                    continue
                name = row.beside[:_MOST_NAME]
                message = f"parent is a record of type {name!r}, no link of the chain: what stands "
                message += "before is cut off"
                over = _over(db, found, row)
            to = nearest if over is None else over
            ids, above = (row.parent, row.id), over is not None
            yield hit(row, message, ids, anchor=row.id, n=row.n, to=to, above=above)


def _over(db: Database, found: Links, row: Any) -> int | None:
    """What the record beside the chain hangs on, if that is a link of the same lane."""
    up = db.rows(_OVER, row.parent, row.session)[0].id
    to: int | None = None if up is None else db.rows(_HOLDER, row.session, up)[0].n
    if to is None or found.records[to].lane != row.lane or row.n in (to, *found.above(to)):
        return None
    return to


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n = number(finding, "session"), number(finding, "n")
    if finding.facts["to"] is None:
        root = (Reparent(session, n, None),)
        return Repair("make the record a root, nothing stands before it", root, Safety.LOSSY)
    link = (Reparent(session, n, number(finding, "to")),)
    if finding.facts["above"]:
        return Repair("hang the record on what its parent hangs on", link, Safety.LOSSY)
    return Repair("hang the record on the nearest earlier one of the chain", link, Safety.LOSSY)


RULE = Rule("401", "dangling-parent", Severity.ERROR, check, fix, needs=("parent",))
