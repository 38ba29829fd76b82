"""A call cannot be replayed: its name or its arguments are not what a provider takes.

## Why it matters
The whole history is sent with every request, so one refused call ends the session. Tool names are
limited in characters and length; arguments must be JSON. Streams that broke off and proxies leave
half arguments and control bytes behind. OpenCode 1.18.33 cannot send a session at all in which a
call has no id, no state, or has ended at no time. Codex 0.171 leaves out a call without a name,
arguments or an input, and its result with it, without a word.

## Example
    {"type":"function_call","name":"exec\\u0000\\u0000command","arguments":"{\\"cmd\\": \\"cut o",…}

## Repair
A finished call of OpenCode without times gets those of its row, one without an id a fresh one:
lossy, they are inferred. Else by `--take` only: drop the call and its result together. The name is
never guessed.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, RekeyCall, Repair, Safety, SetState
from suture.validators._pairs import history, number, take_out_pair, unsent
from suture.validators._rule import Hit, Options, Rule, hit

_SKIPPED = "a client skips the line"  # then it has never been sent
_UNTIMED = "its state has no time"
_UNNAMED = ("it has no call id", "its call id is empty")
_MALFORMED = f"""
select c.*, p.result_n, p.result_part from located_call c
left join pairing p on p.session = c.session and p.lane = c.lane and p.call_n = c.n
    and p.call_part = c.part and p.state in ('paired', 'before_call')
where c.malformed is not null and {history("c")}
order by c.unit, c.session, c.n, c.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MALFORMED):
        yield hit(
            row,
            f"call cannot be sent again: {row.malformed}{_unsent(row)}",
            (row.call_id,),
            anchor=row.call_id or row.id or row.n,
            n=row.n,
            part=row.part,
            result_n=row.result_n,
            result_part=row.result_part,
            untimed=row.id if row.malformed == _UNTIMED else None,
            unnamed=row.store == "opencode" and row.malformed in _UNNAMED,
        )


def _unsent(row: Any) -> str:
    return "" if row.malformed.endswith(_SKIPPED) else unsent(row.sent)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    if finding.facts["unnamed"]:
        session, n, part = (number(finding, name) for name in ("session", "n", "part"))
        named = (RekeyCall(session, n, part, ""),)
        return Repair("give the call an id", named, Safety.LOSSY)
    if (name := finding.facts["untimed"]) is not None:
        timed = (SetState(number(finding, "session"), f"part {name}", "timed"),)
        return Repair("give the call the times of its row", timed, Safety.LOSSY)
    return take_out_pair(finding)


RULE = Rule("312", "malformed-call", Severity.ERROR, check, fix, needs=("malformed",))
