"""A record is nested more than 512 levels deep.

## Why it matters
Readers give up at different depths: serde at 128, Python and msgspec near their recursion limit.
Such a record is skipped by some and crashes others.

## Example
    {"type":"user","extra":[[[[[[[[…]]]]]]]]}

## Repair
None: the content is the user's.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule("118", "too-deep", Severity.WARN, is_damage("too_deep"), needs=("damage:too_deep",))
