"""Two or more whole records stand on one line.

## Why it matters
An append to a file without a final line end glues records together. Claude Code 2.1.197 reads the
first JSON value of a line and ignores the rest, so the later records vanish and what hangs on them
is cut off; Codex rejects the whole line.

## Example
    {"type":"user","uuid":"a",…}{"type":"assistant","uuid":"b","parentUuid":"a",…}

## Repair
Put a line end between the records; no byte of either changes. Safe.
"""

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, Split
from suture.validators._damage import is_damage, places
from suture.validators._rule import Rule


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    at = tuple(places(finding))
    if finding.place is None or not at:
        return None
    split = Split(finding.place, at)
    return Repair("put each record on a line of its own", (split,), Safety.SAFE)


RULE = Rule(
    "104",
    "missing-newline",
    Severity.ERROR,
    is_damage("missing_newline"),
    fix,
    needs=("damage:missing_newline",),
)
