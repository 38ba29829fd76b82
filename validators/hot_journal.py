"""A transaction was cut off; its rollback journal lies beside the database.

## Why it matters
The main file is half written. The next client that opens it puts the old pages back from the
`-journal`, and nothing is lost that was committed; so a copy must have both. If pages of the
`-journal` are damaged themselves, that stops half way and the file stays torn: an error.

## Example
    a transaction was cut off; the next to open the file puts back 6 pages

## Repair
None is needed: opening the file with its client does it. Sessions are read as they are then.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'hot_journal'"):
        severity = Severity.INFO if row.fixable else Severity.ERROR
        yield hit(row, row.detail, anchor="journal", severity=severity)


RULE = Rule("814", "hot-journal", Severity.ERROR, check, needs=("damage:hot_journal",))
