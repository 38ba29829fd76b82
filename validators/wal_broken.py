"""The write-ahead log holds commits that SQLite does not see.

## Why it matters
SQLite reads the `-wal` up to the first frame whose checksum or salts do not fit and ignores the
rest without a word; the next client that opens the file throws it away. A file that was copied
without its `-wal`, or with a part of it, lacks what was committed last; the `-shm` beside it counts
the frames. The tail of a transaction that was never committed is no damage.

## Example
    SQLite ignores 3 commits of the -wal in 11 frames: a frame before them is damaged

## Repair
By `--take` only: each frame is checked alone, the pages of the commits behind the damaged one are
taken over, and the database is written anew with them. What was cut off cannot be brought back:
copy the database again, with its `-wal`, while no client runs.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage
from suture.validators._database import anew
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'wal_broken'"):
        yield hit(row, row.detail, anchor="wal", fill=row.fill)


RULE = Rule("813", "wal-broken", Severity.ERROR, check, anew, needs=("damage:wal_broken",))
