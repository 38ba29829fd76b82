"""One thread has two files that both claim to be its beginning, or two copies that differ.

## Why it matters
Codex finds a thread by its id and takes the file that its index names. Beside a compressed copy it
reads the plain file, even where that is only the beginning of the other: the rest of the history is
lost without a word. Later segments of one thread share its id and are healthy.

## Example
    rollout-2026-03-02T09-00-00-019c….jsonl
    rollout-2026-03-02T09-00-00-019c….jsonl.zst, with other content

## Repair
Where the plain file is the beginning of its compressed copy, or empty, append the rest of that
(safe). Where
the copy is the beginning of the plain file nothing is lost (info). Else none: which of them is
right is for a person to say.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_HEADER = """
join (select session, min(n) as n from record where kind = 'header' group by session) h
    using (session)
join located l using (session, n)
"""
_TWINS = """
select s.unit, s.session, s.id as session_id, s.path, l.line, l."offset", l.length,
       k.value::bigint as more
from state_kv k join session s using (session)
left join located l on l.session = k.session and l.n = k.n  -- an empty file has no record
where k.scope = 'twin' order by s.unit, s.session
"""
# A file that continues from another one is no beginning.
_ROOT = "store = 'codex' and header_id is not null and coalesce(first_ordinal, 0) = 0"
_ANY = f"select 1 from session where {_ROOT} group by header_id having count(*) > 1 limit 1"
_ROOTS = f"""
with root as (
    select session, header_id, row_number() over (partition by header_id order by path) as number
    from session where {_ROOT}
)
select l.*, root.number from root {_HEADER}
where root.number > 1 order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_TWINS) if db.has("state:twin") else ():
        text, severity = "a compressed copy beside the plain file has other content", None
        if row.more and row.more > 0:
            text = f"the compressed copy beside the plain file goes on for {row.more:,} bytes more"
        elif row.more:
            text = "a compressed copy beside the plain file is its beginning, and is not needed"
            severity = Severity.INFO
        named = (row.session_id,)
        yield hit(row, text, named, anchor="compressed copy", severity=severity, more=row.more)


def across(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ROOTS) if db.rows(_ANY) else ():
        text = "another file is the beginning of the same thread"
        yield hit(row, text, (row.session_id,), anchor=f"beginning {row.number}")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if int(str(finding.facts.get("more") or 0)) <= 0:
        return None
    rest = Rebuild(int(str(finding.facts["session"])), "end of the plain file")
    return Repair("append what the compressed copy holds more", (rest,), Safety.SAFE)


RULE = Rule(
    "812",
    "duplicate-thread",
    Severity.WARN,
    check,
    fix,
    Stage.BYTES,
    needs=("store:codex",),
    across=across,
)
