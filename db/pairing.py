"""Which result answers which call: an ordered walk, one lane at a time.

A result answers the nearest earlier open call of its id; one that stands before its call answers it
only if none does behind it. Two sets of ids would miss reordered pairs, repeated answers and ids
that two calls share.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """`state`: paired | open | shadowed | again | server | orphan | duplicate | before_call.

    A `duplicate` names the call that was already answered and, in `first_n`, the answer before it;
    `before_call` names the later call that the result belongs to. `shadowed` is a call without
    result whose id a later call uses again: which of the two was answered is that id's trouble.
    `again` is a call whose line stands twice, and in `first_n` the one that stays.
    """

    session: int
    lane: str
    call_id: str
    state: str
    call_n: int | None
    call_part: int | None
    result_n: int | None
    result_part: int | None
    first_n: int | None = None
    first_part: int | None = None
    mixed: bool | None = None  # the answer is of another family than the call


# Nearly every id of a lane has one call and then one result: DuckDB pairs those, and only the rest
# needs the walk. One number is hashed instead of three columns; should two ids share it, they are
# walked.
PLAIN_PAIRS = """
insert into pairing
    (session, lane, call_id, state, call_n, call_part, result_n, result_part, mixed)
with calls as (
    select session, lane, call_id, pos, n, part, family, hash(session, lane, call_id) as hash
    from call where call_id is not null
),
results as (
    select session, lane, call_id, pos, n, part, family, hash(session, lane, call_id) as hash
    from result where call_id is not null
)
select c.session, c.lane, c.call_id, 'paired', c.n, c.part, r.n, r.part, r.family <> c.family
from calls c join results r on r.hash = c.hash
where r.session = c.session and r.lane = c.lane and r.call_id = c.call_id and r.pos >= c.pos
  and c.hash not in (select hash from calls group by hash having count(*) > 1)
  and r.hash not in (select hash from results group by hash having count(*) > 1)
"""
COUNTS = """
select (select count(*) from pairing),
       (select count(*) from call where call_id is not null),
       (select count(*) from result where call_id is not null)
"""
REST = """
select session, lane, pos, n, part, call_id, server
from {} anti join pairing using (session, lane, call_id) where call_id is not null
"""


class _Item(NamedTuple):
    session: int
    lane: str
    pos: int
    is_result: bool
    n: int
    part: int
    call_id: str
    server: bool


def shared_ids(calls: Iterable[tuple[object, ...]]) -> set[str]:
    """Ids that more than one call of a lane uses."""
    seen: set[tuple[object, ...]] = set()
    shared: set[str] = set()
    for session, lane, _, _, _, call_id, _ in calls:
        key = (session, lane, call_id)
        if key in seen:
            shared.add(str(call_id))
        seen.add(key)
    return shared


def pairs(
    calls: Iterable[tuple[object, ...]],
    results: Iterable[tuple[object, ...]],
    links: Mapping[tuple[int, int], int] | None = None,
) -> Iterator[Pair]:
    """Both take (session, lane, pos, n, part, call_id, server). `links`: session and n of a result
    → n of the record that it hangs on, which settles which of two calls of one id it answers."""
    lanes: dict[tuple[int, str], list[_Item]] = defaultdict(list)
    for is_result, items in ((False, calls), (True, results)):
        for session, lane, pos, n, part, call_id, server in items:
            item = _Item(session, lane, pos, is_result, n, part, call_id, server)  # type: ignore[arg-type]  # rows of our own query
            lanes[item.session, item.lane].append(item)
    for key in sorted(lanes):
        ordered = sorted(lanes[key], key=lambda i: (i.pos, i.is_result, i.n, i.part))
        yield from _walk(ordered, links or {})


def _walk(items: list[_Item], links: Mapping[tuple[int, int], int]) -> Iterator[Pair]:
    open_calls: dict[str, list[_Item]] = {}
    newest: dict[str, _Item] = {}
    answered: dict[str, tuple[_Item, _Item]] = {}
    early: dict[str, list[_Item]] = defaultdict(list)
    awaited: dict[str, tuple[_Item, list[_Item]]] = {}  # calls that early results may answer
    for item in items:
        key = item.call_id
        if not item.is_result:
            newest[key] = item
            if key in awaited:  # the id is used again
                answered[key], moved = _first_early(*awaited.pop(key))
                yield from moved
            waiting = early.pop(key, None)
            if waiting and key not in open_calls:
                awaited[key] = item, waiting
            else:
                open_calls.setdefault(key, []).append(item)
        elif key in open_calls:
            call = _take(open_calls[key], links.get((item.session, item.n)))
            if not open_calls[key]:
                del open_calls[key]
            answered[key] = (call, item)
            yield _pair("paired", call, item)
        elif key in awaited:
            call, before = awaited.pop(key)
            answered[key] = (call, item)
            yield _pair("paired", call, item)
            for stray in before:
                yield _pair("duplicate", call, stray, item)
        elif key in answered:
            call, first = answered[key]
            yield _pair("duplicate", call, item, first)
        else:
            early[key].append(item)
    for call, before in awaited.values():
        yield from _first_early(call, before)[1]
    yield from _left_over(open_calls, newest, early)


def _first_early(call: _Item, early: Sequence[_Item]) -> tuple[tuple[_Item, _Item], list[Pair]]:
    """The first of the results before a call answers it."""
    first, *more = early
    found = [_pair("before_call", call, first)]
    found += [_pair("duplicate", call, extra, first) for extra in more]
    return (call, first), found


def _left_over(
    open_calls: Mapping[str, list[_Item]],
    newest: Mapping[str, _Item],
    early: Mapping[str, list[_Item]],
) -> Iterator[Pair]:
    for key, calls in open_calls.items():
        for call in calls:
            state = "server" if call.server else "open"
            yield _pair(state if call is newest[key] else "shadowed", call, None)
    for strays in early.values():
        for stray in strays:
            yield _pair("orphan", None, stray)


def _take(calls: list[_Item], linked: int | None) -> _Item:
    """The call that the result hangs on, else the nearest earlier one."""
    at = next((i for i, call in enumerate(calls) if call.n == linked), -1)
    return calls.pop(at)


def _pair(state: str, call: _Item | None, result: _Item | None, first: _Item | None = None) -> Pair:
    some = call or result
    assert some is not None
    return Pair(
        some.session,
        some.lane,
        some.call_id,
        state,
        call.n if call else None,
        call.part if call else None,
        result.n if result else None,
        result.part if result else None,
        first.n if first else None,
        first.part if first else None,
    )
