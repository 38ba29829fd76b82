"""A further record without a parent stands in the middle of a session.

## Why it matters
A walk to the root ends there: what stands before is not sent, and a resume says so although this is
no more than a note. Compactions start a new root on
purpose, and local commands, hooks and subagents have their own; those are silent here.

## Example
    a  parent null
    b  parent a
    c  parent null   "go on"

## Repair
None: a new start may be what the writer wanted.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._chain import TALK, Links
from suture.validators._links import link, links
from suture.validators._rule import Hit, Options, Rule, hit

# Nearly always none, which is told in a fraction of the time.
_ANY = """
with first as (
    select session, min(n) as n from record where chained and lane = 'main' group by session
)
select 1 from record r join first using (session)
where r.chained and r.lane = 'main' and r.parent is null and r.n > first.n
    and r.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort', 'summary')
limit 1
"""
_ROOTS = """
with main as (
    select session, min(n) as first_n from record
    where chained and lane = 'main' and kind in ('prompt', 'reply', 'call', 'result', 'summary')
    group by session
)
select l.* from located l join main m on m.session = l.session
where l.chained and l.lane = 'main' and l.parent is null and l.n > m.first_n
    and l.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort', 'summary')
    and l.copy_of is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    every = db.rows(_ROOTS) if db.rows(_ANY) else ()
    link(db, (row.session for row in every))
    for session, rows in groupby(every, key=lambda row: row.session):
        roots = list(rows)
        before = _other_talk_before(links(db, session), {row.n for row in roots})
        for row in roots:
            talk, unsent = before[row.n]
            if not talk:
                continue  # its own followers stand before it
            message = "record starts a new root that no compaction explains"
            if row.on_chain and row.sent and unsent:
                message += ", what stands before is not sent"
            yield hit(row, message, (row.id,))


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


RULE = Rule("411", "extra-root", Severity.INFO, check, needs=("parent",))
