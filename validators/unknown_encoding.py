"""The whole file is in UTF-16 or another encoding.

## Why it matters
A redirect in an old PowerShell writes UTF-16. No client reads a session from it: to them no line is
JSON.

## Example
    FF FE 7B 00 22 00 74 00 79 00 70 00 65 00

## Repair
None: write it out as UTF-8 and check again.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule(
    "120",
    "unknown-encoding",
    Severity.ERROR,
    is_damage("unknown_encoding"),
    needs=("damage:unknown_encoding",),
)
