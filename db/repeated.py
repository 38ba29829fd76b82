"""Calls that stand twice because the line of their response was stored again under another id.

No response holds two calls of one id, and each of its lines hangs on the one before: two that hang
on one record, at one time, of one length and of one tool, are the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from suture.db.pairing import Pair

SAME_LINES = """
select c.session, c.lane, c.part, c.call_id, c.name, own.parent, own."group", own.length, own.time,
    c.n
from call c join record own on own.session = c.session and own.n = c.n
where list_contains(?, c.call_id) and own.parent is not null and own."group" is not null
    and own.time is not null and own.copy_of is null
order by c.session, c.n
"""


def repeated(
    rows: Iterable[tuple[object, ...]], links: Mapping[tuple[int, int], int]
) -> list[Pair]:
    """Of the calls of SAME_LINES those that go, each with the one that stays: the one that a result
    hangs on, else the first. `links`: session and n of a result → n of what it hangs on."""
    answered = {(session, n) for (session, _), n in links.items()}
    lines: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for *same, n in rows:
        lines[tuple(same)].append(n)  # type: ignore[arg-type]  # rows of our own query
    found: list[Pair] = []
    for (session, lane, part, call_id, *_), alike in lines.items():
        kept = next((n for n in alike if (session, n) in answered), alike[0])
        found += [
            Pair(session, lane, call_id, "again", n, part, None, None, kept, part)  # type: ignore[arg-type]
            for n in alike
            if n != kept and (session, n) not in answered
        ]
    return found
