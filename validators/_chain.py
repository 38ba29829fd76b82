"""The parent links of one session, as a loader follows them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from suture.db import Database, Kept

TALK = frozenset({"prompt", "reply", "reasoning", "call", "result", "summary", "abort"})


_NONE = -1


@dataclass(frozen=True)
class Links:
    records: Kept  # those that can be a link
    ups: "array[int]"  # of each, n of the record that its parent names, or _NONE

    def up(self, n: int) -> int | None:
        """n of the parent, None for a root or a parent that is not there."""
        place = self.records.place(n)
        if place is None:
            raise KeyError(n)
        return None if self.ups[place] == _NONE else self.ups[place]

    def above(self, n: int) -> Iterator[int]:
        """The ancestors, nearest first, each once."""
        seen = {n}
        up = self.up(n)
        while up is not None and up not in seen:
            yield up
            seen.add(up)
            up = self.up(up)

    def kids(self, n: int) -> list[int]:
        """In the order of the file."""
        first, following = self._kids
        place = self.records.place(n)
        found, at = list[int](), _NONE if place is None else first[place]
        while at != _NONE:
            found.append(self._ns[at])
            at = following[at]
        return found

    def has_kids(self, n: int) -> bool:
        place = self.records.place(n)
        return place is not None and self._kids[0][place] != _NONE

    @cached_property
    def _ns(self) -> "array[int]":
        return array("q", self.records)

    @cached_property
    def _kids(self) -> "tuple[array[int], array[int]]":
        """By place: that of the first kid, and that of the next one of the same parent."""
        first, following = (array("q", [_NONE]) * len(self.ups) for _ in range(2))
        for place in range(len(self.ups) - 1, -1, -1):
            if (above := self.records.place(self.ups[place])) is not None:
                following[place] = first[above]
                first[above] = place
        return first, following

    @cached_property
    def points_forward(self) -> bool:
        """Some parent stands later in the file: only then can a walk run in a circle."""
        return any(up >= n for n, up in zip(self.records, self.ups, strict=True))

    @cached_property
    def _candidates(self) -> "Mapping[str, tuple[array[int], array[int]]]":
        """By lane: records that a child may hang on, and those of them that have none yet."""
        found: dict[str, tuple[array[int], array[int]]] = {}
        for n, kind, copy_of, lane in self.records.columns("n", "kind", "copy_of", "lane"):
            if kind != "event" and copy_of is None:
                if lane not in found:
                    found[lane] = array("q"), array("q")
                every, leaves = found[lane]
                every.append(n)
                if not self.has_kids(n):
                    leaves.append(n)
        return found

    def nearest_before(self, n: int) -> int | None:
        """The nearest earlier record of the lane that has no child yet, else the nearest."""
        every, leaves = self._candidates.get(self.records[n].lane, (array("q"), array("q")))
        for numbers in (leaves, every):
            for at in range(bisect_left(numbers, n) - 1, -1, -1):
                if not self.points_forward or n not in self.above(numbers[at]):
                    return numbers[at]
        return None


# Of two holders of an id the later one wins.
_RECORDS = """
with own as (
    select n, line, "offset", length, "table", key, id, parent, kind, type, lane, "group", on_chain,
           sent, copy_of, time
    from record where session = {0} and chained
),
holder as (select id, max(n) as up from own where id <> '' group by id)
select own.*, holder.up from own left join holder on holder.id = own.parent order by own.n
"""
_SAME = "select unit, session, id as session_id, path from session where session = ?"


def links(db: Database, session: int) -> Links:
    """Kept: the rules about chains ask for the same few broken sessions."""
    return db.once(("links", session), lambda: _linked(db, session))


def _linked(db: Database, session: int) -> Links:
    (same,) = db.rows(_SAME, session)
    records = Kept(db.arrow(_RECORDS.format(int(session))), same._asdict())
    ups = (_NONE if up is None else up for (up,) in records.columns("up"))
    return Links(records, array("q", ups))
