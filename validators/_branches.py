"""Main branches that no resume follows."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from suture.db import Database, each
from suture.validators._chain import TALK

_TALK = ", ".join(f"'{kind}'" for kind in sorted(TALK))
# Records off the live chain, each with the holders of its own id and of its parent's: of two the
# later one wins.
_OFF = """
with off as (
    select n, line, "offset", length, "table", key, id, parent, kind, lane, copy_of, unit, session,
           session_id, path
    from located
    where chained and on_chain is not true and lane = 'main' and session_kind = 'main'
),
named as (
    select session, id from off union select session, parent from off where parent is not null
),
holder as (
    select r.session, r.id, max(r.n) as n, arg_max(coalesce(r.on_chain, false), r.n) as on_chain
    from record r semi join named m on m.session = r.session and m.id = r.id
    where r.chained group by all
)
select off.session, off.n, off.line, off.kind, off.copy_of, own.n as own_n, up.n as up_n,
       coalesce(up.on_chain, false) as on_live_chain,
       -- the place of the first of a branch: without that of the others a row takes a third
       case when up.on_chain then off.unit end as unit,
       case when up.on_chain then off."offset" end as "offset",
       case when up.on_chain then off.length end as length,
       case when up.on_chain then off."table" end as "table",
       case when up.on_chain then off.key end as key,
       case when up.on_chain then off.id end as id,
       case when up.on_chain then off.session_id end as session_id,
       case when up.on_chain then off.path end as path
from off
left join holder own on own.session = off.session and own.id = off.id
left join holder up on up.session = off.session and up.id = off.parent
order by off.session, off.n
"""
_LIVE = f"""
select session, list(n order by n) as ns from record
where chained and on_chain and lane = 'main' and kind in ({_TALK})
    and session in (
        select session from record
        where chained and on_chain is not true and lane = 'main' and kind in ({_TALK}))
group by session
"""


class Branch(Struct, frozen=True):
    first: Any  # located record
    records: list[Any]
    alternates: bool  # the live branch was written between its records


def dead_branches(db: Database) -> Sequence[Branch]:
    """Branches off the live chain that hold talk. What a broken link cut off is none."""
    return db.once("dead branches", lambda: list(_dead_branches(db)))


def _dead_branches(db: Database) -> Iterator[Branch]:
    live = {row.session: row.ns for row in db.rows(_LIVE)}
    if not live:
        return
    every = db.arrow(_OFF)
    if not any(every.column("on_live_chain").to_pylist()):
        return  # of a session that is cut off it may be all
    for session, rows in groupby(each(every), key=lambda row: row.session):
        off = list(rows)
        kids = _kids(off)
        for first in off:
            if _leaves_the_chain(first):
                branch = _branch(first, kids)
                talk = [record.n for record in branch if record.kind in TALK]
                if talk:
                    yield Branch(first, branch, _turns(talk, live.get(session, [])))


def _kids(off: Iterable[Any]) -> Mapping[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for record in off:
        if record.up_n is not None:
            found.setdefault(record.up_n, []).append(record)
    return found


def _leaves_the_chain(record: Any) -> bool:
    if record.copy_of is not None or record.own_n != record.n:
        return False  # a later holder of its id took its place
    return bool(record.on_live_chain)


def _branch(first: Any, kids: Mapping[int, list[Any]]) -> list[Any]:
    held: dict[int, Any] = {}
    waiting = [first]
    while waiting:
        record = waiting.pop()
        if record.n not in held:
            held[record.n] = record
            waiting += kids.get(record.n, ())
    return [held[n] for n in sorted(held)]


def _turns(talk: list[int], live: list[int]) -> bool:
    """A live record stands between two of the branch, and the branch goes on behind it."""
    return bisect_left(live, talk[-1]) > bisect_left(live, talk[0])
