"""A byte order mark stands before the first record.

## Why it matters
Editors on Windows write it. Codex reads no header from the line behind it and refuses the session;
one such file broke whole listings. Claude Code 2.1.197 goes on.

## Example
    <EF BB BF>{"timestamp":"…","type":"session_meta",…}

## Repair
Cut the three bytes. Lossy, although nothing that anybody reads is lost.
"""

from suture.model.finding import Severity
from suture.validators._damage import cut, is_damage
from suture.validators._rule import Rule

RULE = Rule(
    "113",
    "bom",
    Severity.WARN,
    is_damage("bom"),
    cut("cut the byte order mark"),
    needs=("damage:bom",),
)
