"""The first ordinal of a log is neither 0 nor the one at which its base ends.

## Why it matters
The start of the log is lost, or the log continues another one from the wrong place. Codex looks
for the history before that number in the base that the header names.

## Example
    {"timestamp":…,"ordinal":7,"type":"session_meta","payload":{…no history_base…}}

## Repair
None: which records stood before is not known.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# Lines that cannot be read account for one number each.
_STARTS = """
with opening as (
    select session, min(n) as n, arg_min(ordinal, n) as ordinal from record
    where ordinal is not null and "table" is null group by session
),
odd as (
    select o.* from opening o join session s using (session)
    where o.ordinal not in (0, coalesce(s.first_ordinal, 0))
)
select o.*, coalesce(s.first_ordinal, 0) as expected,
       (select count(*) from damage d where d.session = o.session and d.n is null
            and d.recovered = 0 and d.line < o.line) as unread,
       o.n as unnumbered
from located_in('odd') o join session s using (session)
order by o.unit, o.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_STARTS):
        if row.ordinal - row.unread - row.unnumbered == row.expected:
            continue
        yield hit(
            row,
            f"the first ordinal is {row.ordinal}, not {row.expected}",
            anchor="start",
            ordinal=row.ordinal,
            expected=row.expected,
        )


RULE = Rule("205", "ordinal-start", Severity.ERROR, check, needs=("ordinal:odd",))
