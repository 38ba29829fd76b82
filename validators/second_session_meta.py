"""A later header does not belong there, or hides what stands before it.

## Why it matters
Codex starts the history of a paginated rollout anew at its last header: everything before it
vanishes from the model's view, even where the header is the thread's own. Nothing is hidden by one
with no talk before it, or with a compaction after it. Legacy rollouts ignore later headers; those
of the threads that they were forked from are normal there. An event log is created once; a later
`session.created` of the same session may say something else of it.

## Example
    {"timestamp":…,"ordinal":6,"type":"event_msg",…}
    {"timestamp":…,"ordinal":0,"type":"session_meta","payload":{"id":"019c4b17-…",…}}

## Repair
In a paginated rollout, take the header out (lossy): what stands before it is sent again. A record
of an unknown type keeps its place and its ordinal. In a legacy one and in an event log, none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Drop, Policy, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, Stage, hit

# A header may be written again when what it says changes; then it has the thread's own id and its
# place in the order. The client forgets what stands before it all the same.
_LATER = """
with headers as (
    select l.*, row_number() over (partition by session order by n) as number
    from located l where kind = 'header' and store = 'codex'
),
suspects as (
    select h.*, s.header_id, s.fork_of from headers h join session s using (session)
    where h.number > 1 and h.id is not null
),
around as (
    select session, n, max(ordinal) over earlier as highest,
           bool_or(kind in ('prompt', 'injected', 'reply', 'reasoning', 'call', 'result', 'summary',
                            'boundary')) over earlier as spoken,
           max(n) filter (where kind = 'boundary') over (partition by session) as last_boundary
    from record where session in (select session from suspects)
    window earlier as (
        partition by session order by n rows between unbounded preceding and 1 preceding)
)
select h.*, coalesce(h.ordinal <= a.highest, false) as misplaced
from suspects h join around a using (session, n)
where (coalesce(h.id not in (h.header_id, h.fork_of), h.id <> h.header_id)
       and (h.variant = 'paginated' or h.fork_of is null))
   or (h.variant = 'paginated'
       and (h.ordinal <= a.highest or (a.spoken and coalesce(a.last_boundary < h.n, true))))
order by h.unit, h.session, h.n
"""

# A copy is told as one.
_CREATED = """
select * from (
    select l.*, row_number() over (partition by session order by n) as number
    from located l where kind = 'header' and store = 'eventlog')
where number > 1 and copy_of is null order by unit, session, n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_LATER):
        paginated = row.variant == "paginated"
        again = row.id == row.header_id and not row.misplaced
        what = "a copied header" if row.id == row.header_id else "a header of another thread"
        if again:
            what = "the header again"
        loss = "; what stands before it is not sent" if paginated else ""
        yield hit(
            row,
            f"{what} in the middle{loss}",
            (row.id,),
            n=row.n,
            paginated=paginated,
            again=again,
        )
    for row in db.rows(_CREATED) if db.has("store:eventlog") else ():
        yield hit(row, "the session is created again", (row.id,), n=row.n, paginated=False)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if not finding.facts["paginated"]:
        return None
    session, n = int(str(finding.facts["session"])), int(str(finding.facts["n"]))
    title = f"take out the {'later' if finding.facts['again'] else 'copied'} header"
    return Repair(title, (Drop(session, n),), Safety.LOSSY)


# With `ordinal-backwards`, which tells the same line and takes it out as well.
RULE = Rule(
    "803", "second-session-meta", Severity.WARN, check, fix, Stage.ORDER, needs=("headers",)
)
