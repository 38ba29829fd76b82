"""A file of the store cannot be read.

## Why it matters
Permission, an I/O error, a compressed rollout that ends in the middle of a frame, or a database
file that is none: whatever it holds was not judged, so the rest being clean says little.

## Example
    rollout-2026-….jsonl.zst: the compressed file ends in the middle of a frame

## Repair
None: make it readable, or restore it from a copy, and check again. A compressed rollout with plain
lines behind it is written out plain, with these at its end. Safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._damage import damage
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'unreadable'"):
        whose = " by its client" if row.field else ""
        yield hit(row, f"cannot be read{whose}: {row.detail}", anchor=row.path, what=row.field)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    session, what = finding.facts.get("session"), finding.facts["what"]
    if not isinstance(session, int) or not what:
        return None
    return Repair("write the file out plain", (Rebuild(session, str(what)),), Safety.SAFE)


RULE = Rule("119", "unreadable", Severity.ERROR, check, fix, needs=("damage:unreadable",))
