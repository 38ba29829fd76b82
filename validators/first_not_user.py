"""What the model gets begins with a reply or a result.

## Why it matters
The Messages API refuses it: `first message must use the "user" role`. Claude Code 2.1.197 puts
words of its own before it, 2.1.332 does not. A result whose call is not sent has a finding of its
own, and so has a broken link above.

## Example
    {"type":"assistant","parentUuid":null,…}
    {"type":"user",…"content":"And then?"}

## Repair
Drop what stands before the first prompt. Lossy; where there is no prompt, none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Drop, Policy, Repair, Safety
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_BEGINS = "the model's view begins with a"
# The view begins behind the last compaction that the walk reaches: with its summary, whose absence
# is another finding, and not with the records that it kept from before.
_VIEW = """
with cut as (
    select c.session, max(c.n) as n from compaction c join record r using (session, n)
    where r.on_chain group by c.session
),
view as (
    select r.* from record r join session s using (session) left join cut using (session)
    where s.store = 'claude-code' and r.sent and r.lane = 'main' and cut.n is null
)
"""
_ANY = """
select 1 from record
where sent and lane = 'main' and parent is null and kind in ('reply', 'reasoning', 'call', 'result')
limit 1
"""
_FIRST = (
    _VIEW
    + """,
first as (select session, min(n) as n from view group by session)
select l.* from first join located l using (session, n)
where l.kind in ('reply', 'reasoning', 'call', 'result') and l.parent is null and l.live is null
  and not l.recovered and not exists (
    select 1 from record e where e.session = l.session and e.n < l.n and e.chained
        and e.lane = 'main' and e.sent is not true and e.copy_of is null
        and e.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort', 'summary'))
order by l.unit, l.session
"""
)
_BEFORE = (
    _VIEW
    + """
select n from view where session = ? and n < (
    select min(n) from view
    where session = ? and kind not in ('reply', 'reasoning', 'call', 'result'))
order by n
"""
)


# Where the store works out what is sent: the replies, if a prompt is left without them.
_TOLD = """
select l.*, k.value as drops from state_kv k
join located l on l.session = k.session and l.n = k.n
where k.scope = 'first' and l.live is null order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_TOLD) if db.has("state:first") else ():
        yield hit(row, f"{_BEGINS} reply", (row.id,), n=row.n, drops=row.drops or "")
    for row in db.rows(_FIRST) if db.rows(_ANY) else ():
        yield hit(row, f"{_BEGINS} {row.kind}", (row.id,), n=row.n)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    session, told = number(finding, "session"), finding.facts.get("drops")
    places = [row.n for row in db.rows(_BEFORE, session, session)]
    if told is not None:
        places = [int(n) for n in str(told).split()]
    if not places:
        return None
    drops = tuple(Drop(session, n) for n in places)
    return Repair("drop what stands before the first prompt", drops, Safety.LOSSY)


RULE = Rule(
    "512",
    "first-not-user",
    Severity.ERROR,
    check,
    fix,
    Stage.TAIL,
    needs=("store:claude-code", "state:first"),
)
