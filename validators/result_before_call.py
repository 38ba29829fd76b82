"""A result stands before its call.

## Why it matters
Codex sends items in the order of the file, and the Responses API refuses an output before its call.
Claude Code goes by parent links and puts the pair right by itself, so there it is a warning.

## Example
    output call_1
    call   call_1

## Repair
Move the result right behind its call; nothing is invented or dropped. Lossy: the order is inferred.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Move, Policy, Repair, Safety
from suture.validators._pairs import number, results, unsent
from suture.validators._rule import Hit, Options, Rule, hit

_HEALED = "claude-code"  # its client joins pairs by id and parent


def check(db: Database, options: Options) -> Iterator[Hit]:
    last_call: dict[tuple[int, int], int] = {}
    found = list(results(db, "before_call"))
    for row in found:  # several results of one record move together
        key = row.session, row.n
        last_call[key] = max(row.call_n, last_call.get(key, -1))
    for row in found:
        yield hit(
            row,
            f"result stands before the call that it answers{unsent(row.sent, row.call_sent)}",
            (row.call_id,),
            severity=Severity.WARN if row.store == _HEALED else None,
            n=row.n,
            after=last_call[row.session, row.n],
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n, after = (number(finding, fact) for fact in ("session", "n", "after"))
    return Repair("move the result behind its call", (Move(session, n, after),), Safety.LOSSY)


RULE = Rule("309", "result-before-call", Severity.ERROR, check, fix, needs=("pairing:before_call",))
