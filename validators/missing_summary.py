"""A compaction has no summary.

## Why it matters
The boundary says that everything before it was summarised, so Claude Code reads the history from
there on only. Without the record that holds the summary the model starts from nothing, although
the earlier records are still in the file; a summary that stands in the file before its boundary is
cut off with them. A boundary behind which nobody spoke yet, as a process
leaves it that is killed in its compaction, is passed by: the whole history is read.

## Example
    {"type":"system","subtype":"compact_boundary","uuid":"b1",…}
    {"type":"user","parentUuid":"b1","message":{"content":"go on"}}

## Repair
No summary is made up, and the records before the boundary stay where they are. A summary before
its boundary is moved behind it: lossy. A record that hangs
on the lost summary is told, and hung on the boundary, by `dangling-parent`.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Move, Policy, Repair, Safety
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

_BARE = """
select l.*, c.number, c.talk_before,
       l.store = 'claude-code' and coalesce(t.last, -1) <= c.n as at_the_end, b.n as before
from compaction c join located l using (session, n)
left join (
    select session, lane, max(n) as last from record
    where chained and type in ('user', 'assistant') and copy_of is null group by all
) t on t.session = c.session and t.lane = l.lane
left join (
    select session, parent, max(n) as n from record
    where kind = 'summary' and chained and copy_of is null group by all
) b on l.store = 'claude-code' and b.session = l.session and b.parent = l.id and b.n < l.n
where c.needs_summary and c.summary_n is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_BARE):
        if row.before is not None:
            words = f"summary of compaction {row.number} stands before it"
            anchor = row.id or f"compaction {row.number}"
            yield hit(row, words, (row.id,), anchor=anchor, summary=row.before, n=row.n)
            continue
        if row.at_the_end:
            words = (
                f"compaction {row.number} was not finished; a resume reads what stands before it"
            )
            yield hit(row, words, (row.id,), severity=Severity.INFO)
            continue
        stood = f"; {row.talk_before} records stand before it" if row.talk_before else ""
        yield hit(
            row,
            f"compaction {row.number} has no summary{stood}",
            (row.id,),
            anchor=row.id or f"compaction {row.number}",
            talk_before=row.talk_before,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts.get("summary") is None:
        return None
    session, summary, n = (number(finding, fact) for fact in ("session", "summary", "n"))
    return Repair("move the summary behind it", (Move(session, summary, n),), Safety.LOSSY)


RULE = Rule("601", "missing-summary", Severity.ERROR, check, fix, needs=("compaction:bare",))
