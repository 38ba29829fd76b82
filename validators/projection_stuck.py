"""The projection of a rollout stands where it cannot go on.

## Why it matters
Codex up to 0.153 stops for good at an ordinal that it does not expect: new turns are stored and
sent to the model, and never shown. Every version stops at a cursor past the end of the file. What
stands before the cursor is never read again: turns without a row are not shown, and a revert to a
turn that is stored at a wrong byte cuts the history there. An edit that moves bytes of the rollout
does that to every turn behind it. Where a thread has two files, the projection is of the one that
the index names.

## Example
    thread_history_projection_state: next_rollout_ordinal 25; the next line has ordinal 24

## Repair
After all repairs of the rollout itself, safe. Where only the cursor is wrong, it is set. Else the
rows of this rollout are taken out of all four tables of `thread_history_1.sqlite`, and the client
makes them anew when it resumes the thread. Where it would not (another rollout continues from this
one, or the ordinals are not in order and the client is older than 0.154) the places of the turns
are set.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_STUCK = """
select l.*, k.value as said from state_kv k join located l using (session, n)
where k.scope = 'projection' and k.key = 'stuck' and l.live is null
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_STUCK):
        text = f"the projection does not fit the rollout: {row.said}"
        yield hit(row, text, (row.session_id,), anchor="projection")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session = int(str(finding.facts["session"]))
    return Repair(
        "reset its rows of the projection", (Rebuild(session, "projection"),), Safety.SAFE
    )


RULE = Rule(
    "808",
    "projection-stuck",
    Severity.ERROR,
    check,
    fix,
    Stage.PROJECTION,
    needs=("state:projection",),
)
