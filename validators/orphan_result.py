"""A result answers a call that is not there.

## Why it matters
Anthropic's Messages API refuses a `tool_result` without its `tool_use` in the message before.
Claude Code and Codex leave such a result out of the request without a word, so what the tool said
is lost to the model. An output without any call id Codex sends as it is, which is refused.

## Example
    user    "run it"
    user    tool_result for toolu_1        (no record holds toolu_1's call)

## Repair
Take the result out of the history; the journal keeps its bytes. What hung on its record moves up
to the record before. Lossy. The call is not invented.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._pairs import results, take_out_result
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in results(db, "orphan"):
        if not row.placeholder:
            message = "result answers a call that no record holds"
            anchor = None
            if not row.call_id:
                message = "result does not say which call it answers"
                anchor = row.id if row.id is not None else row.n
            named = (row.call_id or None,)
            yield hit(row, message, named, anchor=anchor, n=row.n, part=row.part)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out_result(finding, "quarantine the result that answers no call")


RULE = Rule("305", "orphan-result", Severity.ERROR, check, fix, needs=("pairing:orphan",))
