"""Rows of another version count as the current context window.

## Why it matters
Each compaction makes a window under a higher version, and the newest is what the model is sent.
Rows of an older version beside it are sent twice. In an event log, a window that is written with a
version that was reached before was made by a writer that still took the older one for current:
what it kept is in force for that writer, and for nobody else.

## Example
    {"type":"context.compacted","payload":{"version":2,…}}
    {"type":"context.compacted","payload":{"version":1,…}}

## Repair
In a database, count the rows of the older version as past (lossy). A log is not rewritten: the
newest version stays the current one.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, Stage, hit
from suture.validators._windows import ENTRIES, has_other_versions

_ROWS = (
    ENTRIES
    + """,
stale as materialized (
    select e.session, e.version, min(e.pos) as pos, count(*) as records
    from context_entry e join session s using (session)
    where e.current and e."table" is not null and e.version <> s.context_version group by all
)
select e.*, s.records from stale s join entries e using (session, version, pos)
where e.current order by e.unit, e.session, e.version
"""
)

_EVENTS = """
select l.*, c.version, c.highest from (
    select session, n, version, max(version) over (
        partition by session order by n rows between unbounded preceding and 1 preceding) as highest
    from compaction where version is not null) c
join located l using (session, n)
where l."table" is null and c.version <= c.highest and l.copy_of is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ROWS) if has_other_versions(db) else ():
        some = "a row" if row.records == 1 else f"{row.records} rows"
        count = "counts" if row.records == 1 else "count"
        yield hit(
            row,
            f"{some} of version {row.version} {count} as current beside version "
            f"{row.context_version}",
            anchor=f"window {row.version}",
            version=row.version,
        )
    for row in db.rows(_EVENTS):
        yield hit(
            row,
            f"a window of version {row.version} after one of version {row.highest}",
            (row.id,),
            version=None,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    session, version = int(str(finding.facts["session"])), finding.facts["version"]
    if version is None:
        return None
    operation = SetState(session, f"window {version}", "past")
    return Repair(f"count version {version} as past", (operation,), Safety.LOSSY)


RULE = Rule(
    "603",
    "stale-version",
    Severity.ERROR,
    check,
    fix,
    Stage.PROJECTION,
    needs=("window", "compaction:versioned"),
)
