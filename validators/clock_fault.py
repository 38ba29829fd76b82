"""A message is dated so that its client sorts or answers it wrongly.

## Why it matters
OpenCode takes the newest prompt and the newest reply by their times. With a prompt from the future
(a clock that was ahead) the next one is stored and never answered, without a word; with a reply
from the future 1.18.33 calls the model without end (1,308 requests in 100 seconds). Messages are
sent in the order of the row's time, so a row that is dated otherwise than its message (W) is sent
elsewhere.

## Example
    message: (msg_2, time_created 1795976368000); the clock says 1795972768000

## Repair
Date the message right after the one that it follows, and the row as its message is dated. Lossy:
the journal keeps the old time.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

_TOLERANCE = 60_000_000  # microseconds: clocks of one machine step by less
_MESSAGES = """
select l.*, k.value as clock from state_kv k
join located l on l.session = k.session and l.n = k.n
where k.scope = 'clock' order by l.unit, l.session, l.n
"""
_AHEAD = """
select * from located where store = 'opencode' and "table" = 'message' and time > ?
order by unit, session, n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    ahead = {(row.session, row.n) for row in db.rows(_AHEAD, options.now + _TOLERANCE)}
    for row in db.rows(_AHEAD, options.now + _TOLERANCE):
        seconds = (row.time - options.now) // 1_000_000
        message = f"the message is dated {seconds} s after now"
        yield hit(row, message, (row.id,), id=row.id, value="time")
    for row in db.rows(_MESSAGES):
        if (row.session, row.n) in ahead:
            continue
        stored, own = (int(word) for word in row.clock.split(" "))
        message = (
            f"its row is dated {abs(own - stored)} ms {'before' if own > stored else 'after'} it"
        )
        severity = Severity.WARN
        yield hit(row, message, (row.id,), severity=severity, id=row.id, value="row time")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, facts = int(str(finding.facts["session"])), finding.facts
    operation = SetState(session, f"message {facts['id']}", str(facts["value"]))
    title = "date the row as its message"
    if facts["value"] == "time":
        title = "date the message right after the one that it follows"
    return Repair(title, (operation,), Safety.LOSSY)


RULE = Rule("215", "clock-fault", Severity.ERROR, check, fix, needs=("store:opencode",))
