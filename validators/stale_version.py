"""Rows of another version count as the current context window.

## Why it matters
Each compaction makes a window under a higher version, and the model is sent the newest. Where the
window in force carries an older version than one that was made before, the model is sent a past
state of the session, and what a later compaction kept is forgotten.

## Example
    {"type":"context.compacted","payload":{"version":2,…}}
    {"type":"context.compacted","payload":{"version":1,…}}

## Repair
Let the newest version be the current one, where the store can say so; a log is not rewritten.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, Stage, hit
from suture.validators._windows import ENTRIES

_STALE = (
    ENTRIES
    + """,
newest as (
    select session, greatest(max(version), any_value(context_version)) as version
    from (
        select session, version, context_version from entries
        union all
        select c.session, c.version, s.context_version
        from compaction c join session s using (session)
    ) group by session
),
stale as (
    select e.session, e.version, min(e.pos) as pos, count(*) as records, n.version as newest
    from entries e join newest n using (session)
    where e.current and e.version <> coalesce(e.context_version, n.version)
       or e.current and e."table" is null and e.version < n.version
    group by all
)
select e.*, s.records, s.newest from stale s join entries e using (session, version, pos)
where e.current order by e.unit, e.session, e.version
"""
)


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_STALE):
        rows = "a row" if row.records == 1 else f"{row.records} rows"
        yield hit(
            row,
            f"{rows} of version {row.version} count as current; the newest is {row.newest}",
            anchor=f"window {row.version}",
            version=row.version,
            newest=row.newest,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, version = int(str(finding.facts["session"])), finding.facts["version"]
    operation = SetState(session, f"window {version}", "past")
    return Repair(f"count version {version} as past", (operation,), Safety.LOSSY)


RULE = Rule("603", "stale-version", Severity.ERROR, check, fix, Stage.PROJECTION)
