"""Messages hang on progress records.

## Why it matters
Old versions of Claude Code thread progress records into the chain, and walk through them without
loss: then this is only told. It is a warning where the progress record forks off before an answer,
so that the walk passes that answer by.

## Example
    b  parent a   call toolu_1
    p  parent b   progress of a hook
    c  parent p   result of toolu_1

## Repair
None where nothing is lost; else the message hangs on the answer that was passed by (lossy, the link
is inferred).
"""

from collections.abc import Iterator
from itertools import groupby

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import TALK, Links
from suture.validators._links import link, links
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

_ON_PROGRESS = """
select r.* from located r
join record up on up.session = r.session and up.id = r.parent and up.chained
where r.chained and r.lane = 'main' and r.kind <> 'event' and up.kind = 'event'
    and up.lane = 'main' and r.copy_of is null
order by r.unit, r.session, r.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    every = db.rows(_ON_PROGRESS)
    link(db, (row.session for row in every))
    for session, group in groupby(every, key=lambda row: row.session):
        rows = list(group)
        found = links(db, session)
        passed = {row.n: lost for row in rows if (lost := _passed_by(found, row.n)) is not None}
        for row in rows:
            if row.n in passed:
                yield hit(
                    row,
                    "message hangs on a progress record, the walk passes an answer by",
                    (row.id, row.parent),
                    anchor=row.id,
                    severity=Severity.WARN,
                    n=row.n,
                    to=passed[row.n],
                )
        harmless = [row for row in rows if row.n not in passed]
        if harmless:
            first, count = harmless[0], len(harmless)
            what = "a message hangs" if count == 1 else f"{count} messages hang"
            yield hit(
                first,
                f"{what} on progress records, nothing is lost",
                (first.id, first.parent),
                anchor=first.id,
                lines=[row.line for row in harmless],
            )


def _passed_by(found: Links, n: int) -> int | None:
    """The end of a dead branch that leaves the chain where the progress records do."""
    if not found.records[n].on_chain:
        return None
    fork = next((up for up in found.above(n) if found.records[up].kind != "event"), None)
    waiting = [] if fork is None else found.kids(fork)
    lost: list[int] = []
    while waiting:
        at = waiting.pop()
        record = found.records[at]
        if record.kind != "event" and not record.on_chain and record.lane == "main" and at < n:
            lost.append(at)
            waiting += found.kids(at)
    talk = [at for at in lost if found.records[at].kind in TALK]
    return max(talk, default=None)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if "to" not in finding.facts:
        return None
    session, n, to = (number(finding, fact) for fact in ("session", "n", "to"))
    title = "hang the message on the answer that was passed by"
    return Repair(title, (Reparent(session, n, to),), Safety.LOSSY)


RULE = Rule("409", "progress-in-chain", Severity.INFO, check, fix, needs=("progress",))
