"""A stored leaf names a record that is not there.

## Why it matters
Claude Code resumes the record that the last `last-prompt` line names. When no record has that id it
falls back to the last record of the file; other hosts start an empty session. Where the record is
one of a subagent, 2.1.197 and 2.1.332 say that there is no such conversation. A session of a
database whose head pointer names no message cannot say what the next message follows.

## Example
    {"type":"last-prompt","lastPrompt":"…","leafUuid":"0f3c…"}      (no record is 0f3c…)

## Repair
Append a pointer to the leaf that the client falls back to; in a database, let the head name the
newest message. Lossy: that this is the leaf is inferred. No byte leaves a transcript.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

_NAMES = """
select p.*, k.value as leaf, own.id as live_leaf
from state_kv k
join session s on s.session = k.session
join located own on own.session = s.session and own.n = s.leaf
join state_kv last on last.session = k.session and last.scope = 'pointer'
join located p on p.session = last.session and p.n = last.n
"""
_NAMES_NOTHING = f"""
{_NAMES}left join record named on named.session = k.session and named.id = k.value
where k.scope = 'leaf' and k.key = 'R3' and k.value is not null and named.id is null
order by p.unit, p.session
"""

_NAMES_SIDE = f"""
{_NAMES}join record named on named.session = k.session and named.id = k.value
where k.scope = 'leaf' and k.key = 'R3' and s.store = 'claude-code' and s.kind = 'main'
    and s.live is null and named.chained and named.lane <> 'main' and own.lane = 'main'
    and not exists (
        select 1 from record o where o.session = named.session and o.id = named.id
            and o.chained and o.lane = 'main')
order by p.unit, p.session
"""

# Nearly always none of either, which is told in a fraction of the time.
_SUSPECTS = """
select 1 from state_kv k anti join (
    select r.session, r.id from record r
    semi join state_kv t on t.session = r.session and t.value = r.id and t.scope = 'leaf'
) named on named.session = k.session and named.id = k.value
where k.scope = 'leaf' and k.key = 'R3' and k.value is not null limit 1
"""
_SIDE = "select 1 from record where chained and lane <> 'main' limit 1"
_HEADS = """
select s.*, s.id as session_id, k.key as head, k.value as named
from state_kv k join session s using (session)
where k.scope = 'head' and s.leaf is null order by s.unit, s.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_HEADS) if db.has("state:head") else ():
        yield hit(row, f"{row.head} names a message that is not there", (row.named,), head=row.head)
    for row in db.rows(_NAMES_NOTHING) if db.rows(_SUSPECTS) else ():
        yield hit(
            row,
            "stored leaf is an id that no record has",
            (row.leaf,),
            live_leaf=row.live_leaf,
        )

    for row in db.rows(_NAMES_SIDE) if db.rows(_SIDE) else ():
        yield hit(
            row, "stored leaf is a record of a subagent", (row.leaf,), live_leaf=row.live_leaf
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    if "head" in finding.facts:
        head = SetState(number(finding, "session"), "head", "newest")
        return Repair("let the head name the newest message", (head,), Safety.LOSSY)
    leaf = SetState(number(finding, "session"), "leaf", str(finding.facts["live_leaf"]))
    return Repair("point to the leaf that the client resumes", (leaf,), Safety.LOSSY)


RULE = Rule("402", "dangling-leaf", Severity.ERROR, check, fix, needs=("state:leaf", "state:head"))
