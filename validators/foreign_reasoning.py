"""Reasoning was written by another provider than the one that reads it.

## Why it matters
Reasoning is sealed for the provider that made it. Codex sends reasoning that holds its text, as
other providers store it, on every turn, and OpenAI refuses the `content` array. Claude Code drops
thinking of another model or meets `Invalid signature in thinking block`.

## Example
    {"type":"reasoning","summary":[],"content":[{"type":"reasoning_text",…}],"encrypted_content":null}

## Repair
By `--take` only: take the reasoning out. Nothing is wrong with it for the provider that wrote it.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._odd import part_hit, take_out
from suture.validators._rule import Hit, Options, Rule

# A transcript names the model of each reply; only one of Claude reads on from one of another house.
_FOREIGN = """
select o.* from odd o join session s using (session)
where o.kind = 'foreign_reasoning' and o.sent
  and (o.store <> 'claude-code' or s.model like '%claude%')
order by o.unit, o.session, o.n, o.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_FOREIGN):
        whose = row.detail if row.store == "codex" else f"signed thinking of the model {row.detail}"
        yield part_hit(row, whose[:120])


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    return take_out(finding, "take the reasoning out", Safety.MANUAL)


RULE = Rule("507", "foreign-reasoning", Severity.WARN, check, fix, needs=("odd:foreign_reasoning",))
