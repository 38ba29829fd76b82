"""The parent links of one session, as a loader follows them."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from suture.db import Database

TALK = frozenset({"prompt", "reply", "reasoning", "call", "result", "summary", "abort"})


@dataclass(frozen=True)
class Links:
    records: Mapping[int, Any]  # n → record, those that can be a link
    at: Mapping[str, int]  # id → n; of two holders the later one wins

    def up(self, n: int) -> int | None:
        """n of the parent, None for a root or a parent that is not there."""
        return self.at.get(self.records[n].parent)

    def above(self, n: int) -> Iterator[int]:
        """The ancestors, nearest first, each once."""
        seen = {n}
        up = self.up(n)
        while up is not None and up not in seen:
            yield up
            seen.add(up)
            up = self.up(up)

    @cached_property
    def kids(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for n in self.records:
            up = self.up(n)
            if up is not None:
                found.setdefault(up, []).append(n)
        return found

    @cached_property
    def points_forward(self) -> bool:
        """Some parent stands later in the file: only then can a walk run in a circle."""
        return any(up >= n for n in self.records if (up := self.up(n)) is not None)

    @cached_property
    def _candidates(self) -> Mapping[str, tuple[list[int], list[int]]]:
        """By lane: records that a child may hang on, and those of them that have none yet."""
        found: dict[str, tuple[list[int], list[int]]] = {}
        for n, record in self.records.items():
            if record.kind != "event" and record.copy_of is None:
                every, leaves = found.setdefault(record.lane, ([], []))
                every.append(n)
                if n not in self.kids:
                    leaves.append(n)
        return found

    def nearest_before(self, n: int) -> int | None:
        """The nearest earlier record of the lane that has no child yet, else the nearest."""
        every, leaves = self._candidates.get(self.records[n].lane, ((), ()))
        for numbers in (leaves, every):
            for at in range(bisect_left(numbers, n) - 1, -1, -1):
                if not self.points_forward or n not in self.above(numbers[at]):
                    return numbers[at]
        return None


_RECORDS = """
select n, line, "offset", length, "table", key, id, parent, kind, type, lane, "group", on_chain,
       sent, copy_of, time, unit, session, session_id, path
from located where chained and {} order by session, n
"""


def links(db: Database, session: int) -> Links:
    """Kept: the rules about chains ask for the same few broken sessions."""
    query = _RECORDS.format("session = ?")
    return db.once(("links", session), lambda: _linked(db.rows(query, session)))


def links_of(db: Database, sessions: str) -> Iterator[Links]:
    """Of the sessions that a query selects, one after the other: one query for all of them."""
    rows = db.rows(_RECORDS.format(f"session in ({sessions})"))
    for _, group in groupby(rows, key=lambda row: row.session):
        yield _linked(list(group))


def _linked(rows: Sequence[Any]) -> Links:
    return Links({row.n: row for row in rows}, {row.id: row.n for row in rows if row.id})
