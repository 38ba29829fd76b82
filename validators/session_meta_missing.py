"""A session has no header.

## Why it matters
Codex finds the id of the thread in the first `session_meta`: without one it refuses the rollout
("does not start with session metadata"). A database session without its row has no counter, so
nothing can be appended.

## Example
    {"timestamp":…,"type":"event_msg","payload":{"type":"task_started",…}}
    (no session_meta anywhere)

## Repair
Make the header again: the id and time from the file name, the folder from the records, marked as
rebuilt. Lossy, since it is inferred.

The row of an OpenCode session comes from its last event, value by value; where no event tells its
folder, title, project and version, nothing does.

A rollout of Codex whose first ordinal shows that it continued from another one, a fork or a later
file of its thread, gets the base that the names of the thread's files or the index of the home
tell, if exactly one rollout reaches up to that ordinal. Where nothing tells it the session would
resume without the history of its parent: by `--take` only.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._headers import rebuild_header
from suture.validators._rule import Hit, Options, Rule, hit

_MISSING = """
with headless as (
    select s.session, min(r.n) as n from session s join record r using (session)
    where s.meta_required and s.header_id is null
    group by s.session having not bool_or(r.kind = 'header')
)
select l.*, k.key as begins, k.value as base, u.value as unmade from located_in('headless') l
left join state_kv u on u.session = l.session and u.scope = 'unmade'
left join state_kv k on k.session = l.session and k.scope = 'headless'
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MISSING):
        what = "session has no row of its own" if row.table else "the log has no header"
        if row.unmade is not None:
            what += f", and it cannot be made again: {row.unmade}"
        if row.begins is not None:
            where = f"in rollout {row.base}" if row.base else "elsewhere, and nothing tells where"
            what += f"; its history before ordinal {row.begins} stands {where}"
        yield hit(row, what, anchor="header", begins=row.begins, base=row.base)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    repair, begins = rebuild_header(finding, db, policy), finding.facts["begins"]
    if begins is None:
        return repair
    if finding.facts["base"]:
        title = f"make the header again, as one that continues from {finding.facts['base']}"
        return Repair(title, repair.operations, Safety.LOSSY)
    title = (
        f"make the header again WITHOUT the history before ordinal {begins}: nothing tells what "
        "the rollout continued from, and the session will resume without it"
    )
    return Repair(title, repair.operations, Safety.MANUAL)


RULE = Rule(
    "801",
    "session-meta-missing",
    Severity.ERROR,
    check,
    fix,
    needs=("header_id:none",),
)
