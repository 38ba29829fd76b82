"""A session has no header.

## Why it matters
Codex finds the id of the thread in the first `session_meta`: without one it refuses the rollout
("does not start with session metadata"). A database session without its row has no counter, so
nothing can be appended.

## Example
    {"timestamp":…,"type":"event_msg","payload":{"type":"task_started",…}}
    (no session_meta anywhere)

## Repair
Make the header again: the id and time from the file name, the folder from the records, marked as
rebuilt. Lossy, since it is inferred.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._headers import rebuild_header
from suture.validators._rule import Hit, Options, Rule, hit

_MISSING = """
with headless as (
    select s.session, min(r.n) as n from session s join record r using (session)
    where s.meta_required and s.header_id is null
    group by s.session having not bool_or(r.kind = 'header')
)
select l.* from located_in('headless') l order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MISSING):
        what = "session has no row of its own" if row.table else "the log has no header"
        yield hit(row, what, anchor="header")


RULE = Rule(
    "801",
    "session-meta-missing",
    Severity.ERROR,
    check,
    rebuild_header,
    needs=("header_id:none",),
)
