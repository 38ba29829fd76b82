"""Main branches that no resume follows."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from msgspec import Struct

from suture.db import Database
from suture.validators._chain import TALK
from suture.validators._links import listed

_TALK = ", ".join(f"'{kind}'" for kind in sorted(TALK))
# Records off the live chain whose parent has a holder on it: where a branch may begin. Of two
# holders of an id the later one wins.
_NEAR = """
with near as materialized (
    select r.session, r.n, r.line, r."offset", r.length, r."table", r.key, r.id, s.unit,
           s.id as session_id, s.path
    from record r join session s using (session)
    semi join (select session, id from record where chained and on_chain) live
        on live.session = r.session and live.id = r.parent
    where r.chained and r.on_chain is not true and r.lane = 'main' and r.copy_of is null
        and s.kind = 'main'
)
select * from near
anti join record o on o.session = near.session and o.id = near.id and o.n > near.n and o.chained
where near.id is not null order by session, n
"""
# What is off the chain of those sessions, with the record that its parent names: twice its n, and
# one more if that is on the chain. So one number says of the later holder what is asked of it.
_OFF = f"""
with own as materialized (
    select session, n, parent, line, kind in ({_TALK}) as talks from record
    where chained and on_chain is not true and lane = 'main' and session in ({{0}})
),
holder as (
    select r.session, r.id, max(2 * r.n + coalesce(r.on_chain, false)::int) as up
    from record r semi join own on own.session = r.session and own.parent = r.id
    where r.chained group by r.session, r.id
)
select own.session, up, own.n, own.line, own.talks
from own join holder on holder.session = own.session and holder.id = own.parent
"""
_LIVE = f"""
select session, list(n) as ns from record
where session in ({{0}}) and chained and on_chain and lane = 'main' and kind in ({_TALK})
group by session
"""


_Off = tuple[int, Any, bool]  # a record off the chain: n, line, whether it is talk
_Kids = dict[int, dict[int, list[_Off]]]  # by session and n of the parent


class Branch(Struct, frozen=True):
    first: Any  # located record
    lines: list[Any]  # of its records
    alternates: bool  # the live branch was written between its records


def dead_branches(db: Database) -> Sequence[Branch]:
    """Branches off the live chain that hold talk. What a broken link cut off is none."""
    return db.once("dead branches", lambda: list(_dead_branches(db)))


def _dead_branches(db: Database) -> Iterator[Branch]:
    near = db.rows(_NEAR)
    if not near:
        return  # of a session that is cut off it may be all
    kids, begins = _off(db.arrow(_OFF.format(listed(row.session for row in near))))
    found = []
    for first in near:
        if (first.session, first.n) in begins:
            branch = _branch(begins[first.session, first.n], kids[first.session])
            if talk := [n for n, _, talks in branch if talks]:
                found.append((first, branch, talk))
    if not found:
        return
    said = db.rows(_LIVE.format(listed(first.session for first, *_ in found)))
    live = {row.session: sorted(row.ns) for row in said}
    for first, branch, talk in found:
        if first.session in live:
            alternates = _turns(talk, live[first.session])
            yield Branch(first, [line for _, line, _ in branch], alternates)


def _off(rows: pa.Table) -> tuple[_Kids, dict[tuple[int, int], _Off]]:
    """What hangs on what, and what hangs on the live chain."""
    kids: _Kids = defaultdict(lambda: defaultdict(list))
    begins: dict[tuple[int, int], _Off] = {}
    for batch in rows.to_batches(max_chunksize=1 << 14):
        columns = (column.to_pylist() for column in batch.columns)
        for session, up, *record in zip(*columns, strict=True):
            if up % 2:
                begins[session, record[0]] = tuple(record)
            else:
                kids[session][up // 2].append(tuple(record))
    return kids, begins


def _branch(first: _Off, kids: Mapping[int, list[_Off]]) -> list[_Off]:
    held: dict[int, _Off] = {}
    waiting = [first]
    while waiting:
        record = waiting.pop()
        if record[0] not in held:
            held[record[0]] = record
            waiting += kids.get(record[0], ())
    return [held[n] for n in sorted(held)]


def _turns(talk: list[int], live: list[int]) -> bool:
    """A live record stands between two of the branch, and the branch goes on behind it."""
    return bisect_left(live, talk[-1]) > bisect_left(live, talk[0])
