"""The messages of a SQL session skip a number.

## Why it matters
The engine numbers its raw messages without holes and never deletes one. A hole says that messages
are lost, and a summary or a count that stands for them can no longer be checked. Numbers that a
row of the context window names are told by `missing-originals` and not again here.

## Example
    raw_message: (s1, 1) (s1, 2) (s1, 5)

## Repair
None: what the lost messages said is not known.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_SHOWN = 100
_GAPS = """
with stored as (
    select l.*, coalesce(lag(l.ordinal) over (partition by l.session order by l.ordinal),
                         s.first_ordinal - 1, 0) as before
    from located l join session s using (session)
    where l."table" is not null and l.ordinal is not null and s.numbered
),
named as (
    select distinct e.session, unnest(e.original_seqs) as seq from context_entry e where e.current
)
select g.*, (select count(*) from named a
             where a.session = g.session and a.seq > g.before and a.seq < g.ordinal) as named
from stored g where g.ordinal > g.before + 1
order by g.unit, g.session, g.ordinal
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_GAPS):
        absent = row.ordinal - row.before - 1
        if absent <= row.named:
            continue
        what = f"message {row.before + 1} is" if absent == 1 else f"{absent} messages are"
        yield hit(
            row,
            f"{what} absent before message {row.ordinal}",
            anchor=f"seq {row.ordinal}",
            ordinal=row.ordinal,
            absent=absent,
            missing=list(range(row.before + 1, min(row.ordinal, row.before + 1 + _SHOWN))),
        )


RULE = Rule("206", "seq-gap", Severity.WARN, check, needs=("rows",))
