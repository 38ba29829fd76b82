"""A message is dated so that its client sorts or answers it wrongly.

## Why it matters
OpenCode takes the newest prompt and the newest reply by their times. With a prompt from the future
(a clock that was ahead) the next one is stored and never answered, without a word; with a reply
from the future 1.18.33 calls the model without end (1,308 requests in 100 seconds). Messages are
sent in the order of the row's time, so a row that is dated otherwise than its message (W) is sent
elsewhere. A message that does not say when it was written blocks the session, or makes the client
call the model without end.

## Example
    message: (msg_2, time_created 1795976368000); the clock says 1795972768000

## Repair
Where the row and its message disagree, the one that is neither ahead nor older than the session
dates the other; a message without a time gets that of its row. A message that is
ahead in both is dated right after the one that it follows in the event log (without a log: in its
turn). Lossy: the journal keeps the old time.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._pairs import unsent
from suture.validators._rule import Hit, Options, Rule, hit

_TOLERANCE = 60_000_000  # microseconds: clocks of one machine step by less
_MESSAGES = """
select l.*, k.value as clock, s.created from state_kv k
join located l on l.session = k.session and l.n = k.n join session s on s.session = k.session
where k.scope = 'clock' and k.key = ? order by l.unit, l.session, l.n
"""
_AHEAD = """
select * from located where store = 'opencode' and "table" = 'message' and time > ?
order by unit, session, n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    limit = options.now + _TOLERANCE
    differing = {
        (row.session, row.n): (row, *(int(word) for word in row.clock.split(" ")))
        for row in db.rows(_MESSAGES, "time_created")
    }
    for row in db.rows(_MESSAGES, "no time"):
        message = f"the message does not say when it was written{unsent(row.sent)}"
        yield hit(row, message, (row.id,), id=row.id, value="own time")
    for row in db.rows(_AHEAD, limit):
        _, _, own = differing.pop((row.session, row.n), (row, 0, None))
        message = f"the message is dated {(row.time - options.now) // 1_000_000} s after now"
        value = "time"
        if own is not None and own * 1000 <= limit:  # it says itself where its row belongs
            message, value = f"its row is{message.removeprefix('the message is')}", "row time"
        yield hit(row, message + unsent(row.sent), (row.id,), id=row.id, value=value)
    for row, stored, own in differing.values():
        severity, value = Severity.WARN, "row time"
        way = "before" if own > stored else "after"
        message = f"its row is dated {abs(own - stored)} ms {way} it"
        if row.created is not None and own * 1000 < row.created - _TOLERANCE <= row.time:
            value = "own time"
            message = f"the message is dated {stored - own} ms before its row and the session"
        if own * 1000 > limit:
            severity, value = Severity.ERROR, "own time"
            seconds = own // 1000 - options.now // 1_000_000
            message = f"the message is dated {seconds} s after now, its row is not"
        said = message + unsent(row.sent)
        yield hit(row, said, (row.id,), severity=severity, id=row.id, value=value)


_TITLES = {
    "time": "date the message right after the one that it follows",
    "row time": "date the row as its message",
    "own time": "date the message as its row",
}


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, facts = int(str(finding.facts["session"])), finding.facts
    value = str(facts["value"])
    operation = SetState(session, f"message {facts['id']}", value)
    return Repair(_TITLES[value], (operation,), Safety.LOSSY)


RULE = Rule(
    "215", "clock-fault", Severity.ERROR, check, fix, needs=("store:opencode",), by_clock=True
)
