"""A tool call that the provider ran is kept apart from its result by other records.

## Why it matters
Both halves belong to one assistant message. Claude Code joins neighbouring lines of one
`message.id`; a rendered record between them (a local command, a prompt) makes two messages, and the
API refuses a `server_tool_use` without its result beside it.

## Example
    assistant  server_tool_use srvtoolu_1      (message msg_1)
    system     local_command "/color"
    assistant  advisor_tool_result srvtoolu_1  (message msg_1)

## Repair
The second half hangs on the first; the local records stay in the file, beside the chain. Lossy: the
link is inferred. Where a person's or the model's words stand between: by `--take`.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._between import parted_in_chain
from suture.validators._chain import TALK
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row, between in parted_in_chain(db, server=True):
        yield hit(
            row,
            "provider's result is kept apart from its call by records of another message",
            (row.call_id,),
            n=row.n,
            to=row.call_n,
            between=[record.line for record in between],
            talk=any(record.kind in TALK for record in between),
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n, to = (number(finding, fact) for fact in ("session", "n", "to"))
    safety = Safety.MANUAL if finding.facts["talk"] else Safety.LOSSY
    return Repair("join the two halves of the response", (Reparent(session, n, to),), safety)


RULE = Rule("311", "server-split", Severity.ERROR, check, fix, needs=("server",))
