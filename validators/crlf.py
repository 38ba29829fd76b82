"""Lines end in CR LF.

## Why it matters
A copy through a Windows tool does that. The CR is white space to JSON, so every client reads such a
file; offsets that a projection stored no longer fit.

## Example
    {"type":"user",…}<CR><LF>

## Repair
None: nothing is lost.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule("114", "crlf", Severity.INFO, is_damage("crlf"), needs=("damage:crlf",))
