"""An escape is half of a UTF-16 pair.

## Why it matters
Text that was cut between the halves of an emoji leaves `\\ud83c` alone. Claude Code before 2.1.132
sends it on, and the provider refuses every later turn: "no low surrogate in string". Many JSON
readers reject the line. In the event log of OpenCode (W) nobody reads it again.

## Example
    {"type":"user",…"content":"done \\ud83c"}

## Repair
The escape becomes `\\ufffd`, of the same length, so that no offset moves. Lossy.
"""

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._damage import is_damage, replacements
from suture.validators._rule import Rule

_ESCAPE = 6  # bytes of \uXXXX


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    operations = replacements(finding, _ESCAPE)
    if not operations:
        return None
    return Repair("replace the half pairs by U+FFFD", operations, Safety.LOSSY)


RULE = Rule(
    "112",
    "lone-surrogate",
    Severity.ERROR,
    is_damage("lone_surrogate"),
    fix,
    needs=("damage:lone_surrogate",),
)
