"""Where a resume starts, and where the conversation really ended."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from suture.db import Database
from suture.model.version import parts
from suture.validators._chain import TALK, Links
from suture.validators._links import link, links, listed

# Sessions whose leaf rules disagree, or whose last words are off the chain that a resume takes.
# Where all rules name one leaf and that is talk, it is what was said last: most need no search.
_SUSPECT = """
with leaf as materialized (
    select s.session, s.leaf as n, r.kind,
        r.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'summary', 'abort')
            and r.copy_of is null as is_said
    from session s left join record r on r.session = s.session and r.n = s.leaf
    where s.store = 'claude-code' and s.kind = 'main' and s.live is null
)
select session from leaf where is_said is not true
union select session from state_kv k join leaf using (session)
where k.scope = 'leaf' and k.key in ('R1', 'R2') and k.n is distinct from leaf.n
union select leaf.session from leaf
semi join (select session from record where chained and on_chain = false) using (session)
where leaf.kind = 'result'
"""
_DISAGREE = """
with said as (
    select session, max(n) as n from record
    where session in ({0}) and chained and lane = 'main' and copy_of is null
        and kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'summary', 'abort')
    group by session
),
newest as (
    select session, max(n) as n from state_kv where scope = 'leaf' and key = 'R1' group by session
)
select s.session, s.version, s.leaf, d.n as said, r.on_chain as followed,
    d.n = s.leaf and r.kind = 'result' and exists (
        select 1 from record o where o.session in ({0}) and o.session = s.session
            and o.lane = 'main' and o.chained and o.on_chain = false and o.n < s.leaf
            and o.kind in ('prompt', 'reply', 'call')
    ) as late,
    p.n as pointer
from session s
join said d on d.session = s.session
join record r on r.session = d.session and r.n = d.n
left join newest w on w.session = s.session
left join state_kv o on o.session = s.session and o.scope = 'leaf' and o.key = 'R2'
left join state_kv p on p.session = s.session and p.scope = 'pointer'
    and o.n is distinct from s.leaf
where r.on_chain = false or w.n <> d.n or late
order by s.unit, s.session
"""

_PLACE = "select * from located where session = ? and n = ?"

_BY_TIME_UNTIL = (2, 1, 197)  # measured: from here on the last record of the file, not the newest


class Stale(Struct, frozen=True):
    newest: Any  # the record that misleads the resume, with its place
    said: Any  # the newest leaf of the conversation
    branch: list[Any]  # from the record that misleads up to where the two part, top last;
    # empty where a pointer names a record that the conversation went on from
    by_time: bool  # the client takes the newest time
    passed: int | None = None  # n of what a resume hung above the response of a late result
    pointer: Any | None = None  # the record that names the stale leaf, where one decides
    undone: bool = False  # the last words stand behind a compaction that the resume goes past


def stale_leaves(db: Database) -> Sequence[Stale]:
    return db.once(stale_leaves, lambda: tuple(_stale_leaves(db)))


def _stale_leaves(db: Database) -> Iterator[Stale]:
    suspect = db.rows(_SUSPECT)
    if not suspect:
        return
    disagree = db.rows(_DISAGREE.format(listed(row.session for row in suspect)))
    link(db, (row.session for row in disagree))
    for row in disagree:
        found = links(db, row.session)
        overtaken = _overtaken(found, row.leaf) if row.late else None
        if overtaken is not None:
            yield _late(found, row.leaf, overtaken)
            continue
        newest = _newest(found)
        if row.followed is False:
            leaf, by_time = row.leaf, False
        elif newest is not None and (by_age(row.version) or found.records[newest].kind == "event"):
            leaf, by_time = newest, True
        else:
            continue
        named = not by_time and row.pointer is not None
        if named and _is_older(found.records[row.said], found.records[leaf]):
            continue  # what the pointer names was said later: the last line was only stored late
        branch = _parts(found, leaf, row.said)
        if branch or (named and leaf in found.above(row.said)):
            yield Stale(
                found.records[leaf],
                found.records[row.said],
                branch,
                by_time,
                pointer=db.rows(_PLACE, row.session, row.pointer)[0] if named else None,
                undone=_undone(found, leaf, row.said),
            )


def _is_older(one: Any, other: Any) -> bool:
    return one.time is not None and other.time is not None and one.time < other.time


def by_age(version: str | None) -> bool:
    if version is None:
        return False
    return tuple(part for part in parts(version) if part is not None) < _BY_TIME_UNTIL


def _newest(found: Links) -> int | None:
    """Of the ends of branches the one with the newest time, as those clients choose."""
    rows = found.records.columns("n", "lane", "time")
    ends = ((time or 0, n) for n, lane, time in rows if lane == "main" and not found.has_kids(n))
    return max(ends, default=(0, None))[1]


def _late(found: Links, leaf: int, overtaken: int) -> Stale:
    branch = _parts(found, leaf, overtaken, alike=True)
    spoken = (overtaken, *found.above(overtaken))
    passed = None
    if all(_response(found, n) != _response(found, leaf) for n in spoken):
        passed = next(n for n in spoken if found.records[n].parent == branch[-1].parent)
    return Stale(found.records[leaf], found.records[overtaken], branch, False, passed)


def _overtaken(found: Links, leaf: int) -> int | None:
    """The last words said while a call waited for this result, below its response or, where a
    resume had left the open call out, beside it."""
    call = found.up(leaf)
    if call is None or found.records[leaf].copy_of is not None:
        return None
    own = _response(found, leaf)
    batch = [n for n in found.records if n != leaf and _response(found, n) == own]
    if not batch:
        return None  # what it hangs on is no response
    above = found.up(min(batch))
    waiting = [] if above is None else [n for n in found.kids(above) if n > call]
    waiting += [kid for n in batch for kid in found.kids(n)]
    seen = {*batch, leaf}
    said = None
    while waiting:
        n = waiting.pop()
        if n not in seen:
            seen.add(n)
            waiting += found.kids(n)
            if found.records[n].kind in TALK and call < n < leaf:
                said = max(said or n, n)
    return said


def _parts(found: Links, leaf: int, said: int, alike: bool = False) -> list[Any]:
    """Empty where the walk from `leaf` passes the last words, or one of their parallel siblings."""
    walk = [leaf, *found.above(leaf)]
    if not alike and any(n == said or _response(found, n) == _response(found, said) for n in walk):
        return []
    spoken = {said, *found.above(said)}
    branch = []
    for n in walk:
        if n in spoken:
            break
        branch.append(found.records[n])
    return branch


def _undone(found: Links, leaf: int, said: int) -> bool:
    walked = {leaf, *found.above(leaf)}
    return any(found.records[n].kind == "boundary" and n not in walked for n in found.above(said))


def _response(found: Links, n: int) -> object:
    """The response that a record belongs to, or answers."""
    record = found.records[n]
    up = found.up(n)
    if record.kind == "result" and up is not None:
        record = found.records[up]
    return record.group if record.group is not None else n


def only_bystanders(branch: list[Any]) -> bool:
    return not any(record.kind in TALK for record in branch)
