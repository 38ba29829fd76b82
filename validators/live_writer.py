"""A process may still be writing to this session.

## Why it matters
An open call or a half-written line at the end of a session at work is normal, so the rules about
unfinished things are silent here, and suture refuses to write: two writers on one file interleave
their records.

## Example
    session registry names live pid 4711

## Repair
None. End the process and check again.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_LIVE = """
select unit, session, id as session_id, path, live, null as line, null as "offset", null as length
from session where live is not null order by session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_LIVE):
        yield hit(row, f"a writer is alive: {row.live}", anchor="writer")


RULE = Rule("902", "live-writer", Severity.INFO, check, needs=("live",))
