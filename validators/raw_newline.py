"""One record is broken over several lines.

## Why it matters
A line feed inside a JSON string must be written as `\\n`. A tool that pasted text in, or printed
the record prettily, leaves lines of which none parses: readers skip them all, and a call loses its
result.

## Example
    {"type":"user",…"content":"apples 3
    pears 4"}]}}

## Repair
Inside strings each raw line feed becomes the escape `\\n`, between tokens a space. The text that
the model sees is the same. Safe. In a paginated rollout of Codex it becomes a space everywhere, so
that no byte moves to which a database or another rollout points: lossy where it stood in a text.
"""

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._damage import is_damage, replacements
from suture.validators._rule import Rule


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    operations = replacements(finding)
    if not operations:
        return None
    (session,) = db.rows(
        "select variant from session where session = ?", finding.facts.get("session")
    ) or (None,)
    in_text = any(operation.after != b" " for operation in operations)
    if in_text and session is not None and session.variant == "paginated":
        title = "join the lines of the record, with spaces for the line feeds in its texts"
        return Repair(title, operations, Safety.LOSSY)
    return Repair("join the lines of the record", operations, Safety.SAFE)


RULE = Rule(
    "105",
    "raw-newline",
    Severity.ERROR,
    is_damage("raw_newline"),
    fix,
    needs=("damage:raw_newline",),
)
