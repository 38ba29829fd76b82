"""A run of NUL bytes stands in the file.

## Why it matters
A file system that lost power hands out blocks that were never written as zeros. Claude Code skips
the line they stand on: a result line of NULs takes its call along, and everything above the break
is lost where the chain ran through it. Codex skips such a line as well.

## Example
    \\0\\0\\0\\0\\0\\0\\0\\0{"type":"assistant","uuid":"…",…}

## Repair
Take the run out and keep what stands around it; a line of nothing else goes whole. What the NULs
replaced is gone; nothing is guessed. Lossy.
"""

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._damage import is_damage, quarantine
from suture.validators._rule import Rule

_take_out = quarantine("take the run of NUL bytes out")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    return _take_out(finding, db, policy) if finding.facts["fixable"] else None


RULE = Rule(
    "106", "nul-region", Severity.ERROR, is_damage("nul_region"), fix, needs=("damage:nul_region",)
)
