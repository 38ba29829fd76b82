"""The database file is damaged: its pages contradict each other.

## Why it matters
A damaged page of a table takes away the rows on it, one of an index makes rows unfindable; the
client stops with "database disk image is malformed", or goes on and writes more. A write into a
damaged tree can destroy what could still be read, so no row is repaired before the file is.

Sessions are judged by what can be read, page by page. Where an index is whole it names the rows
that are lost, by session.

## Example
    message: Page 20: btreeInitPage() returns error code 11; 16 of 869 rows are lost:
    ses_352396 12 of 40, ses_35237f 4 of 17

## Repair
Write all that can be read into a new file, indexes made again, and put it in the place of the
damaged one; that one, with its `-wal` and `-journal`, is kept in the journal. Safe if only indexes
are damaged and every row is there, else by `--take` only. Then check again: sessions that lost rows
have findings of their own.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage
from suture.validators._database import anew
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'db_corrupt'"):
        ids = (row.field,)
        yield hit(row, row.detail, ids, anchor=f"table {row.field}", fill=row.fill)


RULE = Rule("810", "db-corrupt", Severity.ERROR, check, anew, needs=("damage:db_corrupt",))
