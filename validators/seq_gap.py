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
from suture.validators._windows import named_originals

_SHOWN = 100
# Counting tells nearly every session apart before anything is put in order.
_GAPS = """
with numbered as (
    select r.session, r.n, r.ordinal, s.first_ordinal from record r join session s using (session)
    where r."table" is not null and r.ordinal is not null and s.numbered
),
torn as (
    select session from numbered group by session
    having max(ordinal)::hugeint - min(ordinal) + 1 <> count(distinct ordinal)
        or min(ordinal) > coalesce(min(first_ordinal), 1)
),
gaps as materialized (
    select * from (
        select session, n, ordinal,
               coalesce(lag(ordinal) over (partition by session order by ordinal),
                        first_ordinal - 1, 0) as before
        from numbered semi join torn using (session))
    where ordinal > before::hugeint + 1
),
named as (
    select g.session, g.n, count(distinct a.seq) as named from gaps g
    join named_original a on a.session = g.session and a.seq > g.before and a.seq < g.ordinal
    group by all
)
select l.*, g.before, coalesce(a.named, 0) as named
from gaps g join located l using (session, n) left join named a using (session, n)
order by l.unit, l.session, l.ordinal
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    named_originals(db)
    for row in db.rows(_GAPS):
        absent = row.ordinal - row.before - 1
        if absent <= row.named:
            continue
        one = "event" if row.table == "event" else "message"
        what = f"{one} {row.before + 1} is" if absent == 1 else f"{absent} {one}s are"
        yield hit(
            row,
            f"{what} absent before {one} {row.ordinal}",
            anchor=f"seq {row.ordinal}",
            ordinal=row.ordinal,
            absent=absent,
            missing=list(range(row.before + 1, min(row.ordinal, row.before + 1 + _SHOWN))),
        )


RULE = Rule("206", "seq-gap", Severity.WARN, check, needs=("seq:odd", "rows & first:odd"))
