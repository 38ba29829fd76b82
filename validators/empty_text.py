"""A text block of length 0 is in the model's view.

## Why it matters
The Messages API refuses a request with an empty text: `text content blocks must be non-empty`, on
every turn. Claude Code 2.1.197 leaves out an empty text that is all of its message; one beside
another block of an assistant message is sent, 2.1.332 leaves that out too. OpenCode, Crush and
Goose leave empty texts out by themselves: there it is no fault.

## Example
    {"type":"assistant",…"content":[{"type":"text","text":""},{"type":"tool_use",…}]}

## Repair
Take the block out, and with the last block its line; what hangs on the line moves up. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._odd import odd_parts, part_hit, take_out
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in odd_parts(db, "empty_text"):
        yield part_hit(row, "a text of length 0 is sent to the model")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "take the empty text out")


RULE = Rule("501", "empty-text", Severity.ERROR, check, fix, needs=("odd:empty_text",))
