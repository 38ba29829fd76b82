"""One record is broken over several lines.

## Why it matters
A line feed inside a JSON string must be written as `\\n`. A tool that pasted text in, or printed
the record prettily, leaves lines of which none parses: readers skip them all, and a call loses its
result.

## Example
    {"type":"user",…"content":"apples 3
    pears 4"}]}}

## Repair
Inside strings each raw line feed becomes the escape `\\n`, between tokens a space; out of a key it
is taken. The text that the model sees is the same. Safe. In a paginated rollout of Codex whose
bytes another rollout points at, or that is a copy from a home, it becomes a space everywhere, so
that no byte moves: lossy where it stood in a text.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._damage import damage, damage_hit, replacements
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'raw_newline'"):
        found = damage_hit(row)
        yield replace(found, facts={**found.facts, "in_place": row.field == "spaces"})


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    operations = replacements(finding)
    if not operations:
        return None
    if finding.facts["in_place"]:
        title = "join the lines of the record, with spaces for the line feeds in its texts"
        return Repair(title, operations, Safety.LOSSY)
    return Repair("join the lines of the record", operations, Safety.SAFE)


RULE = Rule(
    "105",
    "raw-newline",
    Severity.ERROR,
    check,
    fix,
    needs=("damage:raw_newline",),
)
