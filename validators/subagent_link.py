"""A call that started a subagent and the file of that subagent do not find each other.

## Why it matters
A subagent writes a transcript of its own. Its meta file names the call that started it; the stored
outcome of the call names the subagent. Where one of them is absent, Claude Code cannot list or
resume the subagent. The main session resumes without it. In OpenCode a session whose parent is
absent (info) is in no list, and is not what `-c` goes on with: it is resumed, whole, by its id.

## Example
    <session>.jsonl: {…"toolUseResult":{"agentId":"a1b2"}}
    <session>/subagents/agent-a1b2.jsonl, but no agent-a1b2.meta.json

## Repair
Make the meta file again from the call, where the stored outcome of the call names the subagent
(safe: a new file, nothing is inferred). Else none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_MESSAGES = {
    "no file": "the subagent that a call started has no transcript",
    "no meta": "the transcript of a subagent has no meta file that names its call",
    "no parent": "the session that it was started from is absent, so no list shows it",
    "unknown call": "the meta file of a subagent names a call that is not in the session",
}
_LINKS = """
select l.*, k.key as what, k.value as call_id from state_kv k
join located l on l.session = k.session and l.n = k.n
where k.scope = 'subagent' and l.live is null
order by l.unit, l.session, l.n, k.value
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_LINKS):
        level = Severity.INFO if row.what == "no parent" else None
        yield hit(row, _MESSAGES[row.what], (row.call_id,), severity=level, what=row.what)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts["what"] != "no meta":
        return None
    rebuild = Rebuild(number(finding, "session"), "meta")
    return Repair("make the meta file of the subagent again", (rebuild,), Safety.SAFE)


RULE = Rule(
    "412", "subagent-link", Severity.WARN, check, fix, Stage.PROJECTION, needs=("state:subagent",)
)
