"""A record hangs on a parent that no record has.

## Why it matters
A resume walks from the last record to the root by parent links. Where a parent is missing the walk
ends, and everything above is gone from the model's view without a word. Claude Code 2.1.197 bridges
the gap only if the record before is at most five seconds older. A process that was killed before
its queue was written leaves such gaps.

## Example
    a  parent null
    b  parent a
    d  parent c      (no record is c)

## Repair
Hang the record on the nearest earlier record of the chain that nothing follows yet. Lossy: the link
is inferred. Where a line that cannot be read still tells its id, the record waits for the repair of
that line.
"""

from collections.abc import Iterator
from itertools import groupby

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import links
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

_DANGLING = """
select r.* from located r
left join record up on up.session = r.session and up.id = r.parent
left join damage d on d.session = r.session and d.raw_id = r.parent
where r.chained and r.parent is not null and up.id is null and d.raw_id is null
order by r.unit, r.session, r.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for session, rows in groupby(db.rows(_DANGLING), key=lambda row: row.session):
        found = links(db, session)
        for row in rows:
            to = found.nearest_before(row.n) if row.n in found.records else None
            yield hit(
                row,
                "parent is an id that no record has, what stands before is cut off",
                (row.parent, row.id),
                anchor=row.id,
                n=row.n,
                to=to,
            )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n = number(finding, "session"), number(finding, "n")
    if finding.facts["to"] is None:
        root = (Reparent(session, n, None),)
        return Repair("make the record a root, nothing stands before it", root, Safety.LOSSY)
    link = (Reparent(session, n, number(finding, "to")),)
    return Repair("hang the record on the nearest earlier one of the chain", link, Safety.LOSSY)


RULE = Rule("401", "dangling-parent", Severity.ERROR, check, fix, needs=("parent",))
