"""A tool call at the end of a session has no result.

## Why it matters
The process died while the tool ran, or before its result was written. The call was dispatched and
may have taken effect. Claude Code 2.1.197 leaves the call out of the request: the model does not
know that it started a deploy. Codex 0.171 sends the made-up output `aborted`, even for calls that
finished.

## Example
    {"type":"assistant",…"content":[{"type":"tool_use","id":"toolu_1","name":"Bash",…}]}
    (end of file)

## Repair
Where the log proves the outcome, restore it; else, by `--policy`: `answer` appends a marked result
that says "interrupted, result unknown" (safe); `drop` and `truncate` take the call out and leave a
note (lossy).
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._open_call import open_calls, open_hit, repair_open_call
from suture.validators._rule import Hit, Options, Rule, Stage


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in open_calls(db, "not later and answered = 0"):
        yield open_hit(db, row, " at the end of the session")


RULE = Rule(
    "301",
    "orphan-call-tail",
    Severity.ERROR,
    check,
    repair_open_call,
    Stage.TAIL,
    needs=("pairing:open",),
)
