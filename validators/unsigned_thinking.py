"""Thinking has no signature, or redacted thinking has no data.

## Why it matters
The Messages API refuses it: `thinking.signature: Field required`, `redacted_thinking.data: Field
required`. Such blocks come from other providers and from streams that broke off. Newer versions of
Claude Code take stale thinking out before they send, about from 2.1.15x on.

## Example
    {"type":"assistant",…"content":[{"type":"thinking","thinking":"Look first."}]}

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
    for row in odd_parts(db, "unsigned_thinking"):
        yield part_hit(row, f"{row.detail} is sent to the model")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "take the thinking out")


RULE = Rule("506", "unsigned-thinking", Severity.WARN, check, fix, needs=("odd:unsigned_thinking",))
