"""A fork holds more of its parent than the point it was taken at.

## Why it matters
The model of the fork sees what was said in the parent after the fork. A header states the point
twice: where the fork was taken, and how far the history of the parent is used.

## Example
    {"type":"session_meta","payload":{"forked_from_id":"019c…","forked_from_ordinal_exclusive":5,
     "history_base":{"thread_id":"019c…","end_ordinal_exclusive":9,…}}}

## Repair
None: which of the two was meant is for a person to say.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_PAST = """
select l.*, s.fork_of, s.fork_ordinal, s.first_ordinal from session s
join (select session, min(n) as n from record where kind = 'header' group by session) h
    using (session)
join located l using (session, n)
where s.store = 'codex' and s.fork_of is not null and s.first_ordinal > s.fork_ordinal
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_PAST):
        yield hit(
            row,
            f"it was forked at ordinal {row.fork_ordinal} and holds its parent's history up to "
            f"{row.first_ordinal}",
            (row.fork_of,),
            anchor="fork",
        )


RULE = Rule("414", "fork-leak", Severity.WARN, check, needs=("fork",))
