"""Another message stands between a call and its result.

## Why it matters
Anthropic's Messages API wants all results of a response in the very next message; with a prompt in
between it refuses the request. A prompt that was typed while the tool ran, or a late result, makes
such a chain. Chat-format SQL histories are sent row by row, with the same rule. Codex is silent
here: the Responses API wants an output only to come after its call.

## Example
    call   toolu_1 (Bash)
    prompt "are you there?"
    result toolu_1

## Repair
Move the result right behind its call; what stood between follows it. Lossy: the order is inferred.
Where a history is never changed (laxcode) it is reported only.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Move, Policy, Repair, Safety
from suture.validators._between import parted_in_chain, parted_in_rows
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row, between in parted_in_chain(db, server=False):
        yield hit(
            row,
            f"{_messages(len(between))} between the call and its result",
            (row.call_id,),
            n=row.n,
            after=row.call_n,
            between=[record.line for record in between],
        )
    for row in parted_in_rows(db):
        message = f"{_messages(row.between)} between the call and its result"
        yield hit(row, message, (row.call_id,), n=row.n, after=row.call_n)


def _messages(count: int) -> str:
    return "a message stands" if count == 1 else f"{count} messages stand"


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n, after = (number(finding, fact) for fact in ("session", "n", "after"))
    return Repair("move the result behind its call", (Move(session, n, after),), Safety.LOSSY)


RULE = Rule("310", "result-displaced", Severity.ERROR, check, fix, needs=("parent", "rows"))
