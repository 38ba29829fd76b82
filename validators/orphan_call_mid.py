"""A tool call has no result although the conversation went on.

## Why it matters
Providers refuse a history in which a call is not answered, so every client patches it in memory:
Claude Code leaves the call out, Codex sends `aborted`. The model goes on without knowing what the
call did.

## Example
    call toolu_1 (Bash) · prompt "go on" · reply

## Repair
Put a marked answer right after the call: restored where the log proves the outcome, else
"interrupted, result unknown". Lossy: what follows is billed again.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._open_call import open_calls, open_hit, repair_open_call
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in open_calls(db, "later and answered = 0"):
        yield open_hit(db, row, " and the session went on")


RULE = Rule(
    "302", "orphan-call-mid", Severity.ERROR, check, repair_open_call, needs=("pairing:open",)
)
