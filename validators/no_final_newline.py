"""The last record is whole, only its line end is missing.

## Why it matters
Claude Code 2.1.197 appends without looking: its next record lands on the same line and is lost on
the resume after. 2.1.332 and Codex write the line end first.

## Example
    {"type":"assistant",…}
    (end of file, no line end)

## Repair
None of its own: nothing is lost yet. A repair that appends something adds the line end first.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule(
    "115",
    "no-final-newline",
    Severity.INFO,
    is_damage("no_final_newline"),
    needs=("damage:no_final_newline",),
)
