"""A resume starts from an old place, not where the conversation ended.

## Why it matters
Claude Code picks one leaf and walks up from it. Versions that go by time take whatever was written
last, even a system record that hangs on an old message; 2.1.197 takes the leaf that the last
`last-prompt` names, even on a branch that was left, or the last line: that may be the late result
of a call that the conversation had passed, or an attachment that hangs on an old message. A pointer
does not decide where the last line hangs below it; where that line is a root, any pointer does. The
newest part of the conversation is then forgotten without a word. Told is the line that misleads:
the pointer, else the leaf itself.

## Example
    b  parent a   "Drawn."
    c  parent b   "Add the well"
    d  parent c   "Well added."
    e  parent b   system record written at exit, the newest of the file

## Repair
The record that misleads hangs on the last message; where a stored pointer or a late result
misleads, a new pointer is appended. What a resume had hung above a call that it left out hangs on
the late result. Every leaf rule then names the same record. Lossy: the link is inferred.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety, SetState
from suture.validators._leaf import only_bystanders, stale_leaves
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for stale in stale_leaves(db):
        if stale.newest.kind == "event":
            continue
        parted = stale.branch[-1] if stale.branch else stale.newest
        message = "resume starts here, off the end of the conversation"
        if stale.pointer is not None:
            where = "off" if stale.branch else "before"
            message = f"last pointer to a leaf names a record {where} the end of the conversation"
        if stale.undone:
            message += ": the compaction behind it is undone"
        yield hit(
            stale.newest if stale.pointer is None else stale.pointer,
            message,
            (stale.newest.id, parted.parent),
            anchor=stale.newest.id,
            n=parted.n,
            to=stale.said.n,
            live_leaf=stale.said.id,
            pointer=not (stale.branch and only_bystanders(stale.branch)),
            leaf=stale.newest.n,
            passed=stale.passed,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session = number(finding, "session")
    if finding.facts["pointer"]:
        leaf = SetState(session, "leaf", str(finding.facts["live_leaf"]))
        if finding.facts["passed"] is not None:
            link = Reparent(session, number(finding, "passed"), number(finding, "leaf"))
            title = "hang the conversation on the late result, point to its end"
            return Repair(title, (link, leaf), Safety.LOSSY)
        return Repair("point to the end of the conversation", (leaf,), Safety.LOSSY)
    link = Reparent(session, number(finding, "n"), number(finding, "to"))
    title = "hang the record on the end of the conversation"
    return Repair(title, (link,), Safety.LOSSY)


RULE = Rule("405", "stale-leaf", Severity.ERROR, check, fix, needs=("parent",))
