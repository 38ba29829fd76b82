"""The ordinals of a log fall back below one that was already given.

## Why it matters
Codex up to 0.153 stops its list of turns at the first such line, from 0.154 on the lines are left
out of it; in an event log the chain of hashes no longer tells one order. A header that was copied
into the middle is worse: in a paginated rollout Codex forgets everything that stands before it.

## Example
    {"timestamp":…,"ordinal":6,"type":"event_msg",…}
    {"timestamp":…,"ordinal":0,"type":"session_meta",…}

## Repair
A copied header is taken out. Other records are numbered again, from the place on where the numbers
left their order, so that every record stays where it is. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Drop, Operation, Policy, Renumber, Repair, Safety
from suture.validators._ordinals import steps
from suture.validators._rule import Hit, Options, Rule, hit

# `start` is the record after the last one in order: for two swapped numbers, the first of them.
_RUNS = """
with placed as (
    select *, nth - row_number() over (partition by session, step = 'backwards' order by n) as run,
        max(case when step = 'jump' then n end) over (partition by session order by n) as jump_n,
        max(case when step = 'jump' then before end)
            over (partition by session order by n) as jump_from
    from ordinal_step
),
runs as (
    select session, run, min(n) as n, max(n) as last_n, count(*) as records,
           list(line order by n) as lines, list(n order by n) as ns,
           bool_and(kind = 'header') as headers, bool_or(copy_of is not null) as copies
    from placed where step = 'backwards' group by session, run
)
select l.*, p.highest, p.jump_n, p.jump_from, r.records, r.lines, r.ns, r.headers, r.copies
from runs r join placed p using (session, n) join located_in('runs') l using (session, n)
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in steps(db, _RUNS):
        swapped = row.jump_n is not None and row.jump_from < row.ordinal
        skips = "; a client skips the line" if row.store == "codex" and row.ordinal < 0 else ""
        many = f", and so on for {row.records} records" if row.records > 1 else ""
        yield hit(
            row,
            f"ordinal {row.ordinal} after {row.highest}{many}{skips}",
            anchor=f"ordinal {row.ordinal}",
            ordinal=row.ordinal,
            highest=row.highest,
            lines=row.lines[:100],
            start=row.jump_n if swapped else row.n,
            first=row.jump_from + 1 if swapped else row.highest + 1,
            headers=row.ns if row.headers else [],
            copies=row.copies and not row.headers,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    facts = finding.facts
    session = int(str(facts["session"]))
    headers = facts["headers"]
    if facts["copies"]:
        return None  # the later copies are dropped as a whole
    if isinstance(headers, list) and headers:
        drops: tuple[Operation, ...] = tuple(Drop(session, int(n)) for n in headers)
        return Repair("take out the copied header", drops, Safety.LOSSY)
    start, first = int(str(facts["start"])), int(str(facts["first"]))
    operation = Renumber(session, start, first)
    return Repair("number again where the ordinals fall back", (operation,), Safety.LOSSY)


RULE = Rule("202", "ordinal-backwards", Severity.ERROR, check, fix, needs=("ordinal:odd",))
