"""A line is a bare value, an array or blank, not a record.

## Why it matters
Clients skip such lines and lose nothing. They show that another program wrote to the file, or that
bytes of a repair were blanked to keep offsets in place. A rollout of blank lines alone is an empty
session file to Codex, which refuses it.

## Example
    null
    [1, 2, 3]

## Repair
None: nothing is lost, and the bytes may be somebody's.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule(
    "108", "not-a-record", Severity.INFO, is_damage("not_a_record"), needs=("damage:not_a_record",)
)
