"""A stored hash cannot be checked.

## Why it matters
The payload has no canonical form (a number that readers disagree on, half of a UTF-16 pair, a key
that stands twice), so nobody can say whether it still is what was hashed. Nothing speaks for a
change either.

## Example
    {"id":"e2",…"payload":{"count":90071992547409931},"hash":"sha256:…"}

## Repair
None.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_UNHASHABLE = """
select * from located where hash is not null and computed is null and problem = 'unhashable'
order by unit, session, n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_UNHASHABLE):
        because = f": {row.detail}" if row.detail else ""
        yield hit(
            row,
            f"its hash cannot be checked{because}",
            (row.id,),
            anchor=row.id or f"ordinal {row.ordinal}",
        )


RULE = Rule("212", "hash-unverifiable", Severity.INFO, check, needs=("unhashable",))
