"""A further record without a parent stands in the middle of a session.

## Why it matters
A walk to the root ends there: what stands before is not sent, and a resume says so although this is
no more than a note: a person may have gone back to the first prompt. Compactions start a new root
on purpose, and local commands, hooks and subagents have their own; those are silent here. It is an
error where no person can have wanted it: a reply or a result begins no conversation, and every
client writes `parentUuid`, if only as null. Claude Code 2.1.197 and 2.1.332 take a record without
that key for a root too, and bridge neither gap, however close in time.

## Example
    a  parent null
    b  parent a
    c  parent null   "go on"

## Repair
None for a prompt: a new start may be what the writer wanted. A reply, a result, or a record without
the key hangs on the nearest earlier record of the chain. Lossy: the link is inferred.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Reparent, Safety
from suture.validators._chain import TALK, Links
from suture.validators._links import link, links
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

REPLIES = ("reply", "reasoning", "call", "result")

# Nearly always none, which is told in a fraction of the time.
_ANY = """
with first as (
    select session, min(n) as n from record where chained and lane = 'main' group by session
)
select 1 from record r join first using (session)
where r.chained and r.lane = 'main' and r.parent is null and r.n > first.n
    and (r.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort', 'summary')
        or r.kind in ('injected', 'notice') and r.on_chain)
limit 1
"""
_ROOTS = """
with main as (
    select session, min(n) as first_n from record
    where chained and lane = 'main' and kind in ('prompt', 'reply', 'call', 'result', 'summary')
    group by session
)
select l.*, o.n is not null as unnamed,
    s.store = 'claude-code' as by_claude,
    not exists (select 1 from compaction c where c.session = l.session and c.n > l.n) as in_view
from located l join main m on m.session = l.session join session s on s.session = l.session
left join odd_part o on o.session = l.session and o.n = l.n and o.kind = 'no_parent'
where l.chained and l.lane = 'main' and l.parent is null and l.n > m.first_n
    and (l.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort', 'summary')
        or l.kind in ('injected', 'notice') and l.on_chain)
    and l.copy_of is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    every = db.rows(_ROOTS) if db.rows(_ANY) else ()
    link(db, (row.session for row in every))
    for session, rows in groupby(every, key=lambda row: row.session):
        roots = list(rows)
        found = links(db, session)
        before = _other_talk_before(found, {row.n for row in roots})
        for row in roots:
            talk, unsent = before[row.n]
            if not talk:
                continue  # its own followers stand before it
            message = "record starts a new root that no compaction explains"
            if not (row.on_chain and row.in_view and unsent):
                if row.kind in TALK:
                    yield hit(row, message, (row.id,))
                continue
            message += ", what stands before is not sent"
            said = _first_said(found, row.n) if row.by_claude else None
            if row.unnamed or said in REPLIES:
                why = "has no parentUuid" if row.unnamed else f"is a root before a {said}"
                message = f"record {why}, what stands before is not sent"
                to = found.nearest_before(row.n)
                yield hit(row, message, (row.id,), severity=Severity.ERROR, n=row.n, to=to)
            else:
                yield hit(row, message, (row.id,))


def _first_said(found: Links, n: int) -> str | None:
    """The kind of the first record of talk on the way that a resume takes from here."""
    at: int | None = n
    while at is not None:
        record = found.records[at]
        if record.kind in TALK:
            return str(record.kind)
        at = next((kid for kid in found.kids(at) if kid > n and found.records[kid].on_chain), None)
    return None


def _other_talk_before(found: Links, roots: Collection[int]) -> Mapping[int, tuple[int, int]]:
    """Of each root: how many records of talk stand earlier in the file and do not hang on it, and
    how many of them are not sent."""
    talk = unsent = 0
    own: dict[int, tuple[int, int]] = dict.fromkeys(roots, (0, 0))  # of those that hang on it
    before: dict[int, tuple[int, int]] = {}
    for n, lane, kind, sent in found.records.columns("n", "lane", "kind", "sent"):
        if n in own:
            before[n] = talk - own[n][0], unsent - own[n][1]
        if lane == "main" and kind in TALK:
            talk, unsent = talk + 1, unsent + (not sent)
            root = found.root(n)
            if root in own:
                own[root] = own[root][0] + 1, own[root][1] + (not sent)
    return before


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts.get("to") is None:
        return None
    session, n, to = (number(finding, fact) for fact in ("session", "n", "to"))
    title = "hang the record on the nearest earlier one of the chain"
    return Repair(title, (Reparent(session, n, to),), Safety.LOSSY)


RULE = Rule("411", "extra-root", Severity.INFO, check, fix, needs=("parent",))
