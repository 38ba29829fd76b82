"""A part of a message is stored in a state that is not final, and nobody works on it.

## Why it matters
OpenCode keeps a tool call and its result in one row. Killed in a tool, it leaves the row running
for ever (and the command itself goes on); killed while the arguments stream, the row is pending and
they are lost. On resume 1.18.33 tells the model `[Tool execution was interrupted]` and leaves out
the output that was stored until then. A text that was cut off has no end and, mostly, no words.

## Example
    part: {"type":"tool","tool":"bash","callID":"toolu_1","state":{"status":"running",…}}
    (no process has the database open)

## Repair
By `--policy`: `answer` makes the call an error that says "interrupted, result unknown" and quotes
the output seen so far (safe; lossy where the session went on); `drop` and `truncate` take the call
out and leave a note (lossy). A text gets an end; its words stay as they are (safe).
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Outcome, Policy, Repair, Safety, SetState
from suture.validators._open_call import open_hit, repair_open_call
from suture.validators._pairs import unsent
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_CALLS = """
select * from unanswered where store = 'opencode' and legal_open is null and live is null
order by unit, session, n, part
"""
_TEXTS = """
select * from located
where store = 'opencode' and status = 'inflight' and kind <> 'call' and live is null
order by unit, session, n
"""
_STATES = {"proposed": "pending", "running": "running", "completed": "completed"}
_WHY = {Outcome.NEVER_STARTED: "it was never started", Outcome.UNKNOWN: "its outcome is unknown"}


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_CALLS) if db.has("pairing:open") else ():
        found = open_hit(db, row, "")
        state = _STATES.get(row.state or "", "without a state")
        why = f" ({row.reason})" if row.reason else ""
        message = (
            f"call of {row.name or 'a tool'} is {state}; {_WHY[Outcome(row.outcome)]}{why}"
            f"{unsent(row.sent)}"
        )
        yield Hit(
            found.unit,
            found.session,
            found.session_id,
            found.place,
            message,
            found.ids,
            found.anchor or str(row.id),
            None,
            found.facts,
        )
    for row in db.rows(_TEXTS):
        yield hit(row, f"a {row.type} part was cut off: it has no end", (row.id,), part=row.id)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    if "call_id" in finding.facts:
        return repair_open_call(finding, db, policy)
    session, part = int(str(finding.facts["session"])), finding.facts["part"]
    return Repair("give it an end", (SetState(session, f"part {part}", "ended"),), Safety.SAFE)


RULE = Rule("702", "inflight-part", Severity.ERROR, check, fix, Stage.TAIL, ("store:opencode",))
