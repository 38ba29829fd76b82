"""What stands between a call and its result."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from suture.db import Database
from suture.validators._chain import TALK, Links
from suture.validators._links import link, links

# Results that do not simply hang on the line of their call: most sessions have none.
_DISTANT = """
from pairing p
join record own on own.session = p.session and own.n = p.call_n
join record r on r.session = p.session and r.n = p.result_n
where p.state = 'paired' and p.result_n <> p.call_n and own.id is distinct from r.parent
"""
_FAR = f"{_DISTANT} and r.on_chain is not false"
_PASSED_BY = f"""{_DISTANT} and r.on_chain = false and own.on_chain and p.lane = 'main'
    and r.copy_of is null"""
_ANY_DISTANT = f"""
select distinct r.on_chain is not false as is_far {_DISTANT}
    and (r.on_chain is not false or own.on_chain)
"""
_ELSEWHERE = f"""
with far as (
    select p.*, p.result_n as n, own.on_chain is false and r.sent and not exists (
        select 1 from compaction k where k.session = p.session and k.n > p.call_n) as call_is_left
    {_FAR}
)
select r.*, p.call_n, p.call_is_left, coalesce(c.batch, c.call_id) as batch
from far p
join located_result_in('far') r
    on r.session = p.session and r.n = p.result_n and r.part = p.result_part
    and r.lane = p.lane
join call c on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane
where r.store = 'claude-code' and c.server = ?
order by r.unit, r.session, r.n, r.part
"""

# Results that no resume comes to, although their call is on the way: they hang on it by way of
# other records, and only what hangs on a line of the response itself is looked for beside it.
_PASSED = f"""
with passed as (select p.*, p.result_n as n, own."group" as batch {_PASSED_BY})
select r.*, p.call_n, p.batch
from passed p
join located_result_in('passed') r on r.session = p.session and r.n = p.result_n
    and r.part = p.result_part and r.lane = p.lane
where r.store = 'claude-code'
order by r.unit, r.session, r.n, r.part
"""

# The batch of a call answers together, so its own records do not part it, a call without result
# among them neither: counting all messages and those of the batch tells how many others stand
# between, in one pass.
_PAIRS = """
with pair as (
    select p.*, coalesce(c.batch, c.call_id) as batch
    from pairing p join call c on c.session = p.session and c.n = p.call_n
        and c.part = p.call_part and c.lane = p.lane
    where p.state = 'paired' and p.lane = 'main'
),
member as (
    select distinct session, batch, n from (
        select session, coalesce(batch, call_id) as batch, n from call where lane = 'main'
        union all select session, batch, result_n from pair)
),
loose as (  -- most batches are the only records between their first and their last
    select distinct session from (
        select session from member group by session, batch having max(n) - min(n) + 1 > count(*))
)
"""
_LOOSE = _PAIRS + "select 1 from loose limit 1"
_IN_ROWS = (
    _PAIRS
    + """,
message as (
    select session, lane, n from record r
    join session s using (session) semi join loose using (session)
    where (s.store = 'laxcode' or s.store = 'mapped' and r.kind <> 'reply' and r.sent is not false)
        and r.kind in ('prompt', 'injected', 'reply', 'call', 'result')
        and not exists (
            select 1 from result m where m.session = r.session and m.n = r.n and m.marked)
),
placed as (select *, row_number() over (partition by session order by n) as place from message),
in_batch as (
    select m.*, s.place, row_number() over (partition by m.session, m.batch order by m.n) as nth
    from member m join placed s on s.session = m.session and s.n = m.n
)
select r.*, p.call_n, (b.place - a.place) - (b.nth - a.nth) as between
from pair p
join in_batch a on a.session = p.session and a.batch = p.batch and a.n = p.call_n
join in_batch b on b.session = p.session and b.batch = p.batch and b.n = p.result_n
join located_result r on r.session = p.session and r.n = p.result_n and r.part = p.result_part
    and r.lane = p.lane
where (b.place - a.place) - (b.nth - a.nth) > 0
order by r.unit, r.session, r.n, r.part
"""
)
_ANSWERED = """
select p.session, p.result_n, coalesce(c.batch, c.call_id) as batch
from pairing p join call c on c.session = p.session and c.n = p.call_n and c.part = p.call_part
    and c.lane = p.lane
where p.session in (select unnest(?::bigint[])) and p.result_n is not null
"""


def parted_in_chain(db: Database, server: bool) -> Iterator[tuple[Any, list[Any]]]:
    """Claude Code: results with the records between, nearest to the result first; with none, if no
    resume comes to the call (split-pair tells of those that a compaction cut off)."""
    if not _has_distant(db, far=True):
        return
    elsewhere = db.rows(_ELSEWHERE, server)
    link(db, (row.session for row in elsewhere))
    batches = _answered(db, {row.session for row in elsewhere})
    for row in elsewhere:
        found = links(db, row.session)
        between = _between(found, row, batches[row.session], server)
        if between or (not server and row.call_is_left and _is_whole(found, row)):
            yield row, between


def passed_by(db: Database) -> Iterator[Any]:
    """Claude Code: results that are left out with their call, which is on the chain."""
    rows = db.rows(_PASSED) if _has_distant(db, far=False) else ()
    link(db, (row.session for row in rows))
    for row in rows:
        found = links(db, row.session)
        for n in found.above(row.n) if row.n in found.records else ():
            record = found.records[n]
            if n == row.call_n or (row.batch is not None and record.group == row.batch):
                if n != found.up(row.n):
                    yield row
                break
            if record.lane != row.lane or record.kind in TALK:
                break


def _has_distant(db: Database, far: bool) -> bool:
    if not db.has("store:claude-code"):
        return False
    found = db.once("distant results", lambda: {row.is_far for row in db.rows(_ANY_DISTANT)})
    return far in found


def _is_whole(found: Links, row: Any) -> bool:
    """Whether the walk from the result comes to a root: a broken chain is another rule's."""
    ends = [found.records.get(n) for n in (row.n, row.call_n)]
    if any(end is None or end.copy_of is not None for end in ends):
        return False
    root = found.root(row.n)
    if root is None or found.records[root].parent is not None:
        return False
    return found.records[row.n].lane == row.lane and found.in_one_lane(row.n)


def parted_in_rows(db: Database) -> Iterator[Any]:
    in_rows = db.has("store:laxcode") or db.has("store:mapped")
    if in_rows and db.rows(_LOOSE):
        yield from db.rows(_IN_ROWS)


def _answered(db: Database, sessions: Collection[int]) -> Mapping[int, dict[int, object]]:
    """Of each session: n of a result → the batch that it answers."""
    found: dict[int, dict[int, object]] = {session: {} for session in sessions}
    for row in db.rows(_ANSWERED, sorted(sessions)) if sessions else ():
        found[row.session][row.result_n] = row.batch
    return found


def _between(found: Links, row: Any, batches: dict[int, object], server: bool) -> list[Any]:
    """Empty too when the walk never comes to the call: then the chain itself is broken."""
    between: list[Any] = []
    if row.n not in found.records:
        return between
    for n in found.above(row.n):
        record = found.records[n]
        if n == row.call_n or (record.group is not None and record.group == row.batch):
            return between
        if record.lane != row.lane or n < row.call_n:
            return []
        if batches.get(n) != row.batch and _parts(record, server):
            between.append(record)
    return []


def _parts(record: Any, server: bool) -> bool:
    """Local commands are rendered, so they part a response; calls of ours bear them."""
    if record.kind in TALK:
        return True
    return server and record.sent is True and record.type in ("user", "system/local_command")
