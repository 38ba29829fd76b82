"""A message is stored as unfinished, and nobody is writing it.

## Why it matters
A store that keeps the status of a message, or the time it ended, says with it that the text is
whole. A resume takes a half text for what the model said, or leaves the message out.

## Example
    {…"type":"message.appended","payload":{"role":"assistant","status":"streaming",…}}
    message: {"role":"assistant","time":{"created":1772442021000},…}        (no time.completed)

## Repair
OpenCode: the reply ends at its last stored part, marked as aborted. Safe: nothing that was said
changes. No other error is set, for with one 1.18.33 would leave the whole reply out. An event log
is only appended to, so there it stays as it is.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.db.facts import UNFINISHED
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

# `unfinished`: the store says it by leaving out the end
_MESSAGES = f"""
select * from located
where live is null and store not in ('claude-code', 'codex') and (
    status = 'unfinished' or kind = 'reply'
    and status in {UNFINISHED})
order by unit, session, n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MESSAGES):
        ended = row.status != "unfinished"
        yield hit(
            row,
            f"a message is stored as {row.status}"
            if ended
            else "a message is stored without its end",
            (row.id,),
            anchor=row.id or row.ordinal or row.key,
            n=row.n,
            completes=row.store == "opencode",
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if not finding.facts["completes"]:
        return None
    session = int(str(finding.facts["session"]))
    operation = SetState(session, f"message {finding.ids[0]}", "completed")
    return Repair("end the reply as aborted", (operation,), Safety.SAFE)


RULE = Rule("504", "unfinished-message", Severity.ERROR, check, fix, needs=("status:unfinished",))
