"""A known field holds a value of another type than every client writes.

## Why it matters
Claude Code 2.1.197 does not load a session with a user message whose content is null, or a reply
whose content is a string or missing; 2.1.332 loads them. Other fields are ignored or crash a
viewer. suture reads such a field as absent.

## Example
    {"type":"user","uuid":{"a":1},"parentUuid":3,"message":"x"}

## Repair
None: the value that belongs there is not known.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    said: set[tuple[object, ...]] = set()
    # The store's own words come first; the decoder's are of the one field that stopped it.
    for row in sorted(damage(db, "kind = 'bad_shape'"), key=lambda row: row.n is None):
        key = (row.unit, row.path, row.offset, row.table, row.key, row.field if row.key else None)
        if key not in said:
            said.add(key)
            yield damage_hit(row)


RULE = Rule("110", "bad-shape", Severity.WARN, check)
