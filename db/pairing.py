"""Which result answers which call: an ordered walk, one lane at a time.

A result answers the nearest earlier open call of its id. Two sets of ids would miss reordered
pairs, repeated answers and ids that two calls share.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Pair(NamedTuple):
    """`state`: paired | open | shadowed | server | orphan | duplicate | before_call.

    A `duplicate` names the call that was already answered and, in `first_n`, the answer before it;
    `before_call` names the later call that the result belongs to.
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


class _Item(NamedTuple):
    session: int
    lane: str
    pos: int
    is_result: bool
    n: int
    part: int
    call_id: str
    server: bool


def pairs(
    calls: Iterable[tuple[object, ...]], results: Iterable[tuple[object, ...]]
) -> Iterator[Pair]:
    """Both take (session, lane, pos, n, part, call_id, server)."""
    lanes: dict[tuple[int, str], list[_Item]] = defaultdict(list)
    for is_result, items in ((False, calls), (True, results)):
        for session, lane, pos, n, part, call_id, server in items:
            item = _Item(session, lane, pos, is_result, n, part, call_id, server)  # type: ignore[arg-type]  # rows of our own query
            lanes[item.session, item.lane].append(item)
    for key in sorted(lanes):
        yield from _walk(sorted(lanes[key], key=lambda i: (i.pos, i.is_result, i.n, i.part)))


def _walk(items: list[_Item]) -> Iterator[Pair]:
    open_calls: dict[str, _Item] = {}
    answered: dict[str, tuple[_Item, _Item]] = {}
    early: dict[str, list[_Item]] = defaultdict(list)
    for item in items:
        key = item.call_id
        if not item.is_result:
            waiting = early.pop(key, None)
            if waiting and key not in open_calls:
                yield _pair("before_call", item, waiting[0])
                answered[key] = (item, waiting[0])
                for extra in waiting[1:]:
                    yield _pair("duplicate", item, extra, waiting[0])
                continue
            if key in open_calls:
                yield _pair("shadowed", open_calls[key], None)
            open_calls[key] = item
        elif key in open_calls:
            call = open_calls.pop(key)
            answered[key] = (call, item)
            yield _pair("paired", call, item)
        elif key in answered:
            call, first = answered[key]
            yield _pair("duplicate", call, item, first)
        else:
            early[key].append(item)
    for call in open_calls.values():
        yield _pair("server" if call.server else "open", call, None)
    for strays in early.values():
        for stray in strays:
            yield _pair("orphan", None, stray)


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
