"""A file of the store cannot be read.

## Why it matters
Permission, an I/O error, a compressed rollout that ends in the middle of a frame, or a database
file that is none: whatever it holds was not judged, so the rest being clean says little.

## Example
    rollout-2026-….jsonl.zst: the compressed file ends in the middle of a frame

## Repair
None: make it readable, or restore it from a copy, and check again.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'unreadable'"):
        yield hit(row, f"cannot be read: {row.detail}", anchor=row.path)


RULE = Rule("119", "unreadable", Severity.ERROR, check, needs=("damage:unreadable",))
