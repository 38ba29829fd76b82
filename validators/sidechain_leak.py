"""A record of the main conversation hangs on a record of a subagent.

## Why it matters
The walk to the root then runs through the subagent's records: what the main conversation said
before is lost to the model, and the subagent's words take its place.

## Example
    b  parent a   call toolu_1 (Agent)
    s  parent b   a subagent's record, isSidechain true
    c  parent s   result of toolu_1, isSidechain false

## Repair
A result hangs on the record of its call, anything else on the nearest record of the main chain
above. Lossy: the link is inferred. The subagent's records stay. Records that name no agent and
themselves hang on the main chain, or begin it, may be its own with a wrong mark: Claude Code
2.1.197 sends them, and a repair would take them away, so a person has to ask for it.
"""

from collections.abc import Iterator
from itertools import groupby, takewhile
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import Links
from suture.validators._links import link, links
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

NO_AGENT = "side"  # the lane of a side record that names no agent

_LEAKS = """
with leak as (
    select distinct r.session, r.n from record r
    join record up on up.session = r.session and up.id = r.parent and up.chained
    where r.chained and r.lane = 'main' and up.lane <> 'main'
),
answered as (
    select session, result_n as n, min(call_n) as call_n from pairing
    where state = 'paired' and lane = 'main' group by session, result_n
)
select l.*, a.call_n from located l join leak using (session, n)
left join answered a using (session, n)
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    every = db.rows(_LEAKS)
    link(db, (row.session for row in every))
    for session, rows in groupby(every, key=lambda row: row.session):
        found = links(db, session)
        for row in rows:
            to = _main_parent(found, row)
            own = _may_be_own(found, row.n, to)
            message = "main record hangs on a subagent's record"
            if own:
                message = (
                    "main record hangs on records that are marked as a subagent's, of no agent"
                )
            yield hit(
                row,
                message,
                (row.parent, row.id),
                anchor=row.id,
                n=row.n,
                to=to,
                own=own,
                expected_parent=None if to is None else found.records[to].id,
            )


def _main_parent(found: Links, row: Any) -> int | None:
    if row.call_n is not None:
        return int(row.call_n)
    main = (n for n in found.above(row.n) if found.records[n].lane == "main")
    up = next(main, None)
    return found.nearest_before(row.n) if up is None else up


def _may_be_own(found: Links, n: int, to: int | None) -> bool:
    """Whether the records above may be of the main conversation, only marked as others are."""
    above = [found.records[up] for up in found.above(n)]
    side = list(takewhile(lambda record: record.lane != "main", above))
    if any(record.lane != NO_AGENT for record in side):
        return False
    return to is None or len(side) < len(above)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    to = None if finding.facts["to"] is None else number(finding, "to")
    link = Reparent(number(finding, "session"), number(finding, "n"), to)
    safety = Safety.MANUAL if finding.facts["own"] else Safety.LOSSY
    return Repair("hang the record on the main chain", (link,), safety)


RULE = Rule("408", "sidechain-leak", Severity.ERROR, check, fix, needs=("lanes",))
