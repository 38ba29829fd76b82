"""Numbered and unnumbered records stand in one log.

## Why it matters
Codex refuses a rollout whose last readable record has no ordinal ("final paginated rollout record
is missing an ordinal"): the session does not resume. Unnumbered records in the middle reach the
model, but Codex up to 0.153 stops its list of turns at them and later versions leave them out. A
line whose ordinal is no number from 0 to 2^64 - 1 is skipped by Codex as if it were not there. A
log without any numbers is legal. In a rollout whose header says `legacy`, or no mode, Codex does
not look at them.

## Example
    {"timestamp":…,"ordinal":6,"type":"event_msg",…}
    {"timestamp":…,"type":"response_item",…}

## Repair
Give the unnumbered records the numbers that follow. Safe at the end of the log, or where the
numbers fit into a hole; lossy where later records have to be numbered again.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Renumber, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, hit

_RUNS = """
with mixed as (
    select session from record where "table" is null and kind <> 'scalar'
    group by session having count(ordinal) > 0 and count(ordinal) < count(*)
),
walked as (
    select session, n, ordinal, line, "offset", length, problem, detail,
        count(ordinal) over (partition by session order by n) as run,
        max(ordinal) over (partition by session order by n) as highest
    from record semi join mixed using (session) where kind <> 'scalar'
),
runs as (
select session, min(line) as line, min("offset") as "offset",
       arg_min(length, n) as length, null as "table", null as key, min(n) as n,
       count(*) as records, any_value(highest) as highest, run + 1 as next_run,
       list(line order by n) as lines,
       list(detail order by n) filter (problem = 'shape' and detail like 'ordinal is %') as unread
from walked where ordinal is null
group by session, run
)
select s.unit, s.id as session_id, s.path, r.*, f.ordinal as following
from runs r join session s using (session)
left join walked f on f.session = r.session and f.run = r.next_run and f.ordinal is not null
order by s.unit, r.session, r.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_RUNS):
        first = 0 if row.highest is None else row.highest + 1
        records = "a record" if row.records == 1 else f"{row.records} records"
        unread = row.unread or []
        # Codex looks for the last record that it can read
        at_end = row.following is None and len(unread) < row.records
        lacks = "without an ordinal" if len(unread) < row.records else "whose ordinal is none"
        yield hit(
            row,
            f"{records}{' at the end' if at_end else ''} {lacks} in a numbered log"
            + (f" ({_told(row.records, unread)})" if unread else ""),
            anchor=f"after {row.highest}",
            n=row.n,
            first=first,
            lines=row.lines[:100],
            fits=row.following is None or row.following == first + row.records,
        )


def _told(records: int, unread: list[str]) -> str:
    if records == 1:
        return unread[0]
    return f"of {len(unread)} of them it is there, but no number of a record; the first {unread[0]}"


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n, first = (int(str(finding.facts[key])) for key in ("session", "n", "first"))
    safety = Safety.SAFE if finding.facts["fits"] else Safety.LOSSY
    return Repair("number the unnumbered records", (Renumber(session, n, first),), safety)


RULE = Rule("204", "ordinal-missing", Severity.ERROR, check, fix, needs=("ordinal:odd",))
