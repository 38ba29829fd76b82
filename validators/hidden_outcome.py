"""The store holds the outcome of a call, and the client does not tell the model.

## Why it matters
OpenCode 1.18.33 leaves out a reply with any error but an abort, with the calls that were finished
in it: the model does not know that they ran, and may run them again. An aborted call whose output
is kept beside `interrupted` (W) is sent as that output, a plain success; that it was aborted is not
said.

## Example
    message: {"role":"assistant","error":{"name":"UnknownError",…}}; its tool part is completed
    part: {"state":{"status":"error","metadata":{"interrupted":true,"output":"step 1 of 9"},…}}

## Repair
The reply's error becomes an abort, its text stays. The aborted call becomes an error that says so
and quotes the output. Both lossy: a name or a text of the client is replaced.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, hit

_HIDDEN = """
select l.*, k.key as why, k.value as name from state_kv k
join located l on l.session = k.session and l.n = k.n
where k.scope = 'hidden' order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_HIDDEN):
        if row.why == "error":
            message = "the reply has an error, so its finished calls are not sent"
            yield hit(row, message, (row.id,), id=row.id, whole=True)
        else:
            message = "the aborted call is sent as a success with the output so far"
            yield hit(row, message, (row.name,), severity=Severity.WARN, id=row.id, whole=False)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, name = int(str(finding.facts["session"])), finding.facts["id"]
    if finding.facts["whole"]:
        operation = SetState(session, f"message {name}", "aborted")
        return Repair("make the error of the reply an abort", (operation,), Safety.LOSSY)
    operation = SetState(session, f"part {name}", "shown")
    return Repair("say that the call was aborted, quote its output", (operation,), Safety.LOSSY)


RULE = Rule("713", "hidden-outcome", Severity.ERROR, check, fix, needs=("state:hidden",))
