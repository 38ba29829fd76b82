"""A key stands twice in one object.

## Why it matters
Readers take the last one: JavaScript, Python and msgspec alike. serde refuses the object where the
field is known, so Codex skips the record. suture looks for it where it shows: in records that its
fast reader stops at, in types that nothing is known of and in ids that are taken. Elsewhere it is
not seen: to count one key on every line takes 5 to 8 % of the time of reading, and there are many.

## Example
    {"type":"user","uuid":"…","elapsed":NaN,"type":"assistant",…}

## Repair
None: which of the two was meant is not known.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule(
    "117",
    "duplicate-key",
    Severity.WARN,
    is_damage("duplicate_key"),
    needs=("damage:duplicate_key",),
)
