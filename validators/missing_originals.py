"""An entry of the context window stands for messages that are not in the history.

## Why it matters
A summary must lead back to the messages that it replaced. Where they are absent, nobody can check
what it says or undo the compaction, and a new window cannot be made from the history. In OpenCode
a compaction whose first kept message is absent cuts nothing: the model is sent the whole history
and the summary. A reply to an absent message (W) changes nothing that is sent.

## Example
    context_window_message: (version 1, seq 2, original_seqs [2, 3, 40]); raw_message ends at 7

## Repair
Where a window of a laxcode database holds the message as it was stored, it is put back from there
(lossy: that it is the same is inferred). Else none: neither the messages nor the list of what was
summarised can be made up.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, Stage, hit
from suture.validators._windows import ENTRIES, named_originals

_NOWHERE = """
nowhere as materialized (
    select a.* from named_original a
    anti join (select session, ordinal from record where ordinal is not null) r
        on r.session = a.session and r.ordinal = a.seq
)
"""
_ANY = f"with {_NOWHERE} select 1 from nowhere limit 1"
_ABSENT = (
    f"{ENTRIES}, {_NOWHERE}"
    """,
absent as (
    select session, version, pos, list(seq order by seq) as missing from nowhere group by all
)
select e.*, a.missing from absent a join entries e
    on e.session = a.session and e.pos = a.pos and e.version is not distinct from a.version
where e.current
order by e.unit, e.session, e.pos
"""
)

_DANGLING = """
select l.*, k.key as field, k.value as missing from state_kv k
join located l on l.session = k.session and l.n = k.n
where k.scope = 'dangling' order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    named_originals(db)
    for row in db.rows(_ABSENT) if db.rows(_ANY) else ():
        shown = ", ".join(map(str, row.missing[:5])) + (", …" if len(row.missing) > 5 else "")
        yield hit(
            row,
            f"{row.kind} at {row.pos} of the window stands for absent messages: {shown}",
            anchor=f"window {row.version} at {row.pos}",
            version=row.version,
            pos=row.pos,
            missing=row.missing[:100],
        )
    for row in db.rows(_DANGLING):
        tail = row.field == "tail_start_id"
        yield hit(
            row,
            "the compaction keeps messages from one on that is absent"
            if tail
            else "it answers a message that is absent",
            (row.id, row.missing),
            severity=None if tail else Severity.WARN,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    missing = finding.facts.get("missing")
    session = int(str(finding.facts["session"]))
    rows = db.rows("select key from state_kv where session = ? and scope = 'kept'", session)
    kept = {row.key for row in rows}
    if not isinstance(missing, list) or not kept.issuperset(map(str, missing)):
        return None
    operation = Rebuild(session, "originals")
    return Repair(
        "put the messages back from the windows that hold them", (operation,), Safety.LOSSY
    )


RULE = Rule(
    "602",
    "missing-originals",
    Severity.ERROR,
    check,
    fix,
    Stage.ORDER,
    needs=("window", "state:dangling"),
)
