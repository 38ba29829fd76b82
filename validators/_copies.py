"""What the two rules about records that stand again share: the runs of copies, and their repair."""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Finding
from suture.model.operation import Drop, Operation, Policy, Repair, Safety

# Neighbours that repeat earlier records are one run.
_RUNS = """
with copied as (
    select c.session, c.n, c.line, c.id, c.copy_kind, o.line as first_line,
           c.n - row_number() over (partition by c.session order by c.n) as run
    from record c join record o on o.session = c.session and o.n = c.copy_of
    where c.copy_of is not null and list_contains(?, c.copy_kind)
),
runs as (
    select session, min(n) as n, count(*) as records, list(line order by n) as lines,
           list(id order by n) as ids, list(first_line order by n) as copies_of,
           bool_and(copy_kind = 'identical') as identical
    from copied group by session, run
)
select l.*, r.records, r.lines, r.ids, r.copies_of, r.identical
from runs r join located_in('runs') l using (session, n)
order by l.unit, l.session, l.n
"""


def copies(db: Database, *kinds: str) -> Iterator[Any]:
    yield from db.rows(_RUNS, list(kinds))


def drop_copies(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n, records = (int(str(finding.facts[key])) for key in ("session", "n", "records"))
    drops: tuple[Operation, ...] = tuple(Drop(session, n + i) for i in range(records))
    return Repair("drop the later copy", drops, Safety.LOSSY)
