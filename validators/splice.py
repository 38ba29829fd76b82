"""A cut-off piece of a record stands on one line with a whole record.

## Why it matters
A write that failed half-way and was tried again, or an append after a crash, glues a record to a
stub. A reader that takes a line for a record loses both: Codex rejects the line, Claude Code
2.1.197 reads the first JSON value of a line and nothing when junk stands before it.

## Example
    {"timestamp":"…","type":"response_it{"timestamp":"…","type":"response_item","payload":{…}}

## Repair
Take the piece out into the journal and keep the whole record, byte for byte, on its own line.
Lossy.
"""

from suture.model.finding import Severity
from suture.validators._damage import is_damage, quarantine
from suture.validators._rule import Rule

RULE = Rule(
    "103",
    "splice",
    Severity.ERROR,
    is_damage("splice"),
    quarantine("quarantine the piece of a record, keep the whole one beside it"),
    needs=("damage:splice",),
)
