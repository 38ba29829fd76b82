"""Main branches that no resume follows."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from suture.db import Database
from suture.validators._chain import TALK, Links, links_of

_WITH_DEAD_ENDS = """
select r.session from record r join session s on s.session = r.session
where r.chained and r.on_chain = false and r.lane = 'main' and r.copy_of is null
    and s.kind = 'main'
"""


@dataclass(frozen=True, slots=True)
class Branch:
    first: Any  # located record
    records: list[Any]
    alternates: bool  # the live branch was written between its records


def dead_branches(db: Database) -> Sequence[Branch]:
    """Branches off the live chain that hold talk. What a broken link cut off is none."""
    return db.once("dead branches", lambda: list(_dead_branches(db)))


def _dead_branches(db: Database) -> Iterator[Branch]:
    for found in links_of(db, _WITH_DEAD_ENDS):
        live = [
            n
            for n, record in found.records.items()
            if record.on_chain and record.lane == "main" and record.kind in TALK
        ]
        for first in found.records:
            if _leaves_the_chain(found, first):
                branch = _branch(found, first)
                if any(record.kind in TALK for record in branch):
                    yield Branch(found.records[first], branch, _turns(branch, live))


def _leaves_the_chain(found: Links, n: int) -> bool:
    record = found.records[n]
    if record.on_chain or record.lane != "main" or record.copy_of is not None:
        return False
    if found.at.get(record.id) != n:
        return False  # a later holder of its id took its place
    up = found.up(n)
    return up is not None and bool(found.records[up].on_chain)


def _branch(found: Links, first: int) -> list[Any]:
    held, waiting = set[int](), [first]
    while waiting:
        n = waiting.pop()
        if n not in held:
            held.add(n)
            waiting += [
                kid
                for kid in found.kids.get(n, ())
                if not found.records[kid].on_chain and found.records[kid].lane == "main"
            ]
    return [found.records[n] for n in sorted(held)]


def _turns(branch: list[Any], live: list[int]) -> bool:
    """A live record stands between two of the branch, and the branch goes on behind it."""
    talk = [record.n for record in branch if record.kind in TALK]
    inside = bisect_left(live, talk[-1]) - bisect_left(live, talk[0])
    return inside > 0
