"""The database file is damaged: its pages contradict each other.

## Why it matters
A damaged page of a table takes away the rows on it, one of an index makes rows unfindable; the
client stops with "database disk image is malformed", or goes on and writes more. A write into a
damaged tree can destroy what could still be read, so no row of it is repaired.

## Example
    integrity_check: Tree 30 page 41 cell 3: invalid page number 51234      (table part)

## Repair
None in place. Copy the database with its `-wal`, and let `sqlite3 copy.db .recover` write what can
be read into a new file; compare the sessions of both before using it.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'db_corrupt'"):
        yield hit(row, row.detail, (row.field,), anchor=f"table {row.field}")


RULE = Rule("810", "db-corrupt", Severity.ERROR, check, needs=("damage:db_corrupt",))
