"""A reasoning item has a shape that the provider refuses on every turn.

## Why it matters
OpenAI wants `encrypted_content` in reasoning that is sent back, and behind reasoning the item that
it led to: `Missing required parameter`, `provided without its required following item`. Codex sends
the stored item as it is, also at the tail of a killed stream. Other providers want neither.

## Example
    {"type":"response_item","payload":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null}}

## Repair
Drop the item: nothing else refers to it. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._odd import part_hit, take_out
from suture.validators._rule import Hit, Options, Rule

_BAD = """
select * from odd where kind = 'bad_reasoning' and sent and live is null
order by unit, session, n, part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_BAD):
        yield part_hit(row, row.detail)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "drop the reasoning")


RULE = Rule("508", "reasoning-shape", Severity.ERROR, check, fix, needs=("odd:bad_reasoning",))
