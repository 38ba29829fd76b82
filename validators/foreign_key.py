"""A row names a row of another table that is not there.

## Why it matters
What hangs on the absent row is not found: in OpenCode the parts of a message without its row are
not sent, the messages of a session without its row cannot be reached. SQLite checks such keys only
when they are written, and only for clients that ask for it.

## Example
    part: (prt_1, message_id msg_9); no message has the id msg_9

## Repair
Where the event log holds the absent row, event-projection-differs and session-meta-missing bring it
back. Else by `--take` only: take out the rows that hang on nothing; the journal keeps them.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Quarantine, Repair, Safety
from suture.model.place import Row
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'foreign_key'"):
        yield damage_hit(row)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if not isinstance(finding.place, Row) or not finding.facts.get("fixable"):
        return None
    return Repair("take out what hangs on it", (Quarantine(finding.place),), Safety.MANUAL)


RULE = Rule("809", "foreign-key", Severity.ERROR, check, fix, needs=("damage:foreign_key",))
