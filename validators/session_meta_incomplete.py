"""A session's header does not say which session it is.

## Why it matters
Codex takes the id of the thread from the header. A header without one does not parse, and the
rollout is refused like one without any header.

## Example
    {"timestamp":…,"type":"session_meta","payload":{"cwd":"/home/dev/orchard",…no id…}}

## Repair
Put a whole header before it: the id from the file name, marked as rebuilt. Lossy, since it is
inferred.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._headers import rebuild_header
from suture.validators._rule import Hit, Options, Rule, hit

_NAMELESS = """
with header as (
    select r.session, min(r.n) as n from record r join session s using (session)
    where s.meta_required and s.header_id is null and r.kind = 'header' group by r.session
)
select l.* from located_in('header') l order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_NAMELESS):
        yield hit(row, "the header has no id", anchor="header")


RULE = Rule(
    "802",
    "session-meta-incomplete",
    Severity.ERROR,
    check,
    rebuild_header,
    needs=("header_id:none",),
)
