"""A number that readers disagree on: NaN, Infinity, or thousands of digits.

## Why it matters
NaN and Infinity are no JSON: `JSON.parse` and serde reject the line, Python takes it. An integer
beyond 2^53 is rounded by JavaScript, and beyond 4,300 digits Python refuses it.

## Example
    {"type":"progress","uuid":"…","elapsed":NaN}

## Repair
None: which number was meant is not known.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage
from suture.validators._rule import Rule

RULE = Rule(
    "109", "bad-number", Severity.WARN, is_damage("bad_number"), needs=("damage:bad_number",)
)
