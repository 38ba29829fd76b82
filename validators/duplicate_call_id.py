"""Two calls share one id.

## Why it matters
A result names its call by id alone. Anthropic's Messages API refuses two `tool_use` blocks of one
id; Claude Code 2.1.197 leaves out the second call and its result; Codex passes both on.

## Example
    call toolu_1 (Read a.txt) · result toolu_1
    call toolu_1 (Read b.txt) · result toolu_1

## Repair
The later call and its own result get one fresh id; the first pair stays as it is. Lossy: the old id
of the later pair leaves the store. One record that stands twice is dup-block's business. Where the
line of a response was stored again under another id, the call that has no result of its own goes.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import DropPart, Policy, RekeyCall, Repair, Reparent, Safety
from suture.validators._links import links
from suture.validators._pairs import history, number, unsent
from suture.validators._rule import Hit, Options, Rule, hit

_LATER = f"""
with numbered as (
    select session, lane, n, part, call_id,
           row_number() over same as nth, first(n) over same as first_n
    from call c where {history("c")} and call_id <> ''
    window same as (partition by session, lane, call_id order by pos, part)
),
later as (select * from numbered where nth > 1)
select c.*, first.line as first_line, first.sent as first_sent, p.result_n, p.result_part,
    g.call_n as again_n, g.first_n as kept_n
from later d
join located_call_in('later') c on c.session = d.session and c.n = d.n and c.part = d.part
    and c.lane = d.lane
join record own on own.session = d.session and own.n = d.n
join record first on first.session = d.session and first.n = d.first_n
left join pairing p on p.session = d.session and p.lane = d.lane and p.call_n = d.n
    and p.call_part = d.part and p.state in ('paired', 'before_call')
left join pairing g on g.session = d.session and g.lane = d.lane and g.call_id = d.call_id
    and g.state = 'again' and g.call_part = d.part
    and (g.call_n = d.n or g.call_n = d.first_n and g.first_n = d.n)
where own.copy_of is null
order by c.unit, c.session, c.n, c.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_LATER):
        what = "has the id of an earlier call"
        if row.again_n is not None:
            what = "stands again under another id of its line"
        yield hit(
            row,
            f"call of {row.name or 'a tool'} {what}{unsent(row.first_sent, row.sent)}",
            (row.call_id,),
            n=row.n,
            part=row.part,
            call_id=row.call_id,
            result_n=row.result_n,
            result_part=row.result_part,
            first_line=row.first_line,
            again_n=row.again_n,
            kept_n=row.kept_n,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    if finding.facts["again_n"] is not None:
        return _drop_again(finding, db)
    answered = finding.facts["result_n"] is not None
    operation = RekeyCall(
        number(finding, "session"),
        number(finding, "n"),
        number(finding, "part"),
        str(finding.facts["call_id"]),
        number(finding, "result_n") if answered else None,
        number(finding, "result_part") if answered else None,
    )
    title = "give the later call and its result a fresh id"
    return Repair(title, (operation,), Safety.LOSSY)


def _drop_again(finding: Finding, db: Database) -> Repair:
    session, part, again, kept = (
        number(finding, fact) for fact in ("session", "part", "again_n", "kept_n")
    )
    kids = links(db, session).kids(again)
    hung = tuple(Reparent(session, kid, kept) for kid in kids)
    gone = DropPart(session, again, part)
    return Repair("drop the call that stands again", (*hung, gone), Safety.LOSSY)


RULE = Rule("308", "duplicate-call-id", Severity.ERROR, check, fix, needs=("shared_call_id",))
