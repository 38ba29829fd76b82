"""A made-up result stands for a call that is not there.

## Why it matters
Clients and repair tools pair an unanswered call with a placeholder. When the call goes later, by
compaction or by another repair, the placeholder stays: it says nothing and makes the request
illegal.

## Example
    user    tool_result for toolu_1: "[Tool result missing due to internal error]"
    (no record holds toolu_1's call)

## Repair
Drop the placeholder; its children move up to the record before. Lossy only in name: the journal
keeps the bytes.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._pairs import results, take_out_result
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in results(db, "orphan"):
        if row.placeholder:
            message = "placeholder result stands for a call that no record holds"
            yield hit(row, message, (row.call_id,), n=row.n, part=row.part)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out_result(finding, "drop the placeholder result")


RULE = Rule("306", "synthetic-orphan", Severity.ERROR, check, fix, needs=("pairing:orphan",))
