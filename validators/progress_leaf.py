"""The newest leaf is a progress record that hangs on an old message.

## Why it matters
Old versions of Claude Code write progress records into the chain. A late one, of a hook or a
subagent, makes an old message the end of the session for clients that go by time.

## Example
    b  parent a
    c  parent b   "Done."
    p  parent a   progress, the newest record of the file

## Repair
The progress record hangs on the last message. Lossy: the link is inferred.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._leaf import only_bystanders, stale_leaves
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for stale in stale_leaves(db):
        if stale.newest.kind == "event":
            yield hit(
                stale.newest,
                "newest leaf is a progress record off the end of the conversation",
                (stale.newest.id, stale.branch[-1].parent),
                anchor=stale.newest.id,
                n=stale.branch[-1].n,
                to=stale.said.n,
                talk=not only_bystanders(stale.branch),
            )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts["talk"]:
        return None
    session, n, to = (number(finding, fact) for fact in ("session", "n", "to"))
    title = "hang the progress record on the end of the conversation"
    return Repair(title, (Reparent(session, n, to),), Safety.LOSSY)


RULE = Rule("410", "progress-leaf", Severity.WARN, check, fix, needs=("parent",))
