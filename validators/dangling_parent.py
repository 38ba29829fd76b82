"""A record hangs on a parent that no record has, or on a record that is no link of the chain.

## Why it matters
A resume walks from the last record to the root by parent links. Where a parent is missing the walk
ends, and everything above is gone from the model's view without a word. Claude Code 2.1.197 bridges
the gap only if the record before is at most five seconds older. A process that was killed before
its queue was written leaves such gaps. A record of a type that Claude Code does not know is no link
for it, so what hangs on one is cut off all the same. Where the session was written by a version
newer than those that were measured, its own types may be links for it: that is no finding. A thread
of LangGraph may be pruned to its newest checkpoints: the oldest one that is left then names a
parent that is gone. Each holds the whole state, so a resume lacks nothing (a note).

## Example
    a  parent null
    b  parent a
    d  parent c      (no record is c)

## Repair
Hang the record on the nearest earlier record of the chain that nothing follows yet, or on what the
record that is no link hangs on. A summary whose boundary is lost becomes a root: hung on what it
stands for, it would bring all of that back. Lossy: the link is inferred. Where a line that cannot
be read still tells its id, the record waits for the repair of that line.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import Links
from suture.validators._links import link, links
from suture.validators._measured import is_newer
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

# Types that a client writes beside the chain; other stores may have more that a child can pass.
_BESIDE = "('unknown', 'index')"
_UP = f"""
record up on up.session = r.session and up.id = r.parent
    and (up.chained or up.kind not in {_BESIDE})
"""
_ANY = f"select 1 from record r anti join {_UP} where r.chained and r.parent is not null limit 1"
_DANGLING = f"""
with dangling as (
    select r.session, r.n, r.parent from record r anti join {_UP}
    where r.chained and r.parent is not null
),
few as (
    select session, n from dangling r
    where not exists (select 1 from damage d where d.session = r.session and d.raw_id = r.parent)
),
beside as (
    select session, id, min(type) as type from record where not chained and kind in {_BESIDE}
    group by all
)
select r.*, beside.type as beside, s.client, s.version
from located_in('few') r
join session s on s.session = r.session
left join beside on beside.session = r.session and beside.id = r.parent
order by r.unit, r.session, r.n
"""
_PARENTS = f"""
select id, parent from record
where session = ? and not chained and kind in {_BESIDE} and id is not null order by n
"""
_HOLDERS = """
select r.id, max(r.n) as n from record r join (select unnest(?::varchar[]) as id) using (id)
where r.session = ? and r.chained group by all
"""
_MOST_BESIDE = 100  # records of unknown types that hang on one another
_MOST_NAME = 60


def check(db: Database, options: Options) -> Iterator[Hit]:
    dangling = db.rows(_DANGLING) if db.has("unlinked") and db.rows(_ANY) else ()
    link(db, (row.session for row in dangling))
    for session, group in groupby(dangling, key=lambda row: row.session):
        rows = [row for row in group if row.beside is None or not is_newer(row.client, row.version)]
        found = links(db, session)
        above = _above(db, session, [row.parent for row in rows if row.beside is not None])
        for row in rows:
            message = "parent is an id that no record has, what stands before is cut off"
            nearest = found.nearest_before(row.n) if row.n in found.records else None
            over = None
            if row.beside is not None:
                name = row.beside[:_MOST_NAME]
                message = f"parent is a record of type {name!r}, no link of the chain: what stands "
                message += "before is cut off"
                over = _over(found, row, above.get(row.parent))
            to = nearest if over is None else over
            is_summary = row.store == "claude-code" and row.kind == "summary"
            if is_summary:
                to = over = None
            pruned = row.store == "langgraph" and row.n == 0
            if pruned:
                message = (
                    "no checkpoint before this one is left: there is no way back to older ones"
                )
            yield hit(
                row,
                message,
                (row.parent, row.id),
                anchor=row.id,
                severity=Severity.INFO if pruned else None,
                n=row.n,
                to=to,
                above=over is not None,
                summary=is_summary,
                pruned=pruned,
                shared=to is not None and found.records[to].same_id is not None,
            )


def _above(db: Database, session: int, beside: Sequence[str]) -> Mapping[str, int]:
    """Of records beside the chain, by id: n of the link that they hang on in the end."""
    if not beside:
        return {}
    parents = {row.id: row.parent for row in db.rows(_PARENTS, session)}
    ends: dict[str, str] = {}
    for start in beside:
        end: str | None = start
        for _ in range(_MOST_BESIDE):
            if end not in parents:
                break
            end = parents[end]
        if end is not None:
            ends[start] = end
    holders = {row.id: row.n for row in db.rows(_HOLDERS, sorted({*ends.values()}), session)}
    return {start: holders[end] for start, end in ends.items() if end in holders}


def _over(found: Links, row: Any, to: int | None) -> int | None:
    """The link, if it is of the same lane and does not hang on the record itself."""
    if to is None or found.records[to].lane != row.lane:
        return None
    forward = to >= row.n or found.points_forward
    return None if forward and found.hangs_on(to, row.n) else to


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts["pruned"] or finding.facts["shared"]:
        return None  # what it would hang on gets an id of its own first (id-collision)
    session, n = number(finding, "session"), number(finding, "n")
    if finding.facts["to"] is None:
        root = (Reparent(session, n, None),)
        if finding.facts["summary"]:
            title = "make the summary a root: what it stands for stays cut off"
            return Repair(title, root, Safety.LOSSY)
        return Repair("make the record a root, nothing stands before it", root, Safety.LOSSY)
    link = (Reparent(session, n, number(finding, "to")),)
    if finding.facts["above"]:
        return Repair("hang the record on what its parent hangs on", link, Safety.LOSSY)
    return Repair("hang the record on the nearest earlier one of the chain", link, Safety.LOSSY)


RULE = Rule("401", "dangling-parent", Severity.ERROR, check, fix, needs=("parent",))
