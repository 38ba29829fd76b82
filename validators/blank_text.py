r"""A text block of nothing but white space is in the model's view.

## Why it matters
The Messages API refuses it: `text content blocks must contain non-whitespace text`, on every turn.
Several releases of Claude Code leave such a text out when they send, others do not.

## Example
    {"type":"assistant",…"content":[{"type":"text","text":"\n\n"},{"type":"tool_use",…}]}

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
    for row in odd_parts(db, "blank_text"):
        yield part_hit(row, "a text of white space only is sent to the model")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "take the blank text out")


RULE = Rule("502", "blank-text", Severity.ERROR, check, fix, needs=("odd:blank_text",))
