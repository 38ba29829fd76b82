"""Where a missing result goes, so that the client finds it and every walk passes it."""

from bisect import bisect_right
from itertools import islice
from operator import attrgetter

from msgspec import Struct

from suture.model.answer import answer_text
from suture.model.errors import Unsupported
from suture.model.operation import Answer, SetState
from suture.stores.claude_code.added import Reply, following, iso, leaf_pointer, result_line
from suture.stores.claude_code.draft import Draft
from suture.stores.claude_code.view import Entry

_n = attrgetter("n")
_SYNTHETIC = b'"<synthetic>"'  # the model of an answer that the client made up


class _Place(Struct, frozen=True):
    parent: Entry
    after: Entry | None  # None: at the end of the file
    followers: tuple[Entry, ...]  # what hung there and now hangs on the result
    rule: str


def answer(draft: Draft, owner: int, operation: Answer) -> str:
    call = draft.entry(operation.n)
    place = _place(draft, call)
    row = _call_row(draft, operation.n, operation.part)
    text = answer_text(row, operation.outcome, _last_time(draft, call, place), operation.words)
    return put_result(draft, owner, call, Reply(operation.call_id, text, True))


def put_result(draft: Draft, owner: int, call: Entry, reply: Reply) -> str:
    """Returns what it costs a cache."""
    if call.uuid is None:
        raise Unsupported(f"line {call.number} has no uuid that a result could name")
    place = _place(draft, call)
    time = following(draft.newest(call.lane) if place.after is None else _time(place.parent, call))
    entry, line = result_line(draft, call, reply, place.parent, time, place.rule)
    draft.add(owner, entry, line, place.after)
    for follower in place.followers:
        draft.hang(owner, follower, entry.uuid)
    if place.after is None:
        point_to(draft, owner, entry)
        return "append"
    return "payload"


def point_to(draft: Draft, owner: int, leaf: Entry) -> None:
    """A `last-prompt` that names another leaf would win over the new one."""
    if leaf.lane == "main" and draft.found.hints:
        draft.add_pointer(owner, leaf_pointer(draft, leaf))


def set_leaf(draft: Draft, owner: int, operation: SetState) -> str:
    """A transcript states one thing that can be set: the leaf of a resume."""
    leaf = draft.holder(operation.value)
    if operation.entity != "leaf" or leaf is None:
        raise Unsupported("a transcript states no such thing")
    draft.add_pointer(owner, leaf_pointer(draft, draft.at(leaf)))
    return "append"


def _call_row(draft: Draft, n: int, part: int) -> str | None:
    return next((row.name for row in draft.index.calls(n) if row.part == part), None)


def _last_time(draft: Draft, call: Entry, place: _Place) -> str | None:
    """Of the last record that the writer stored before it was interrupted."""
    time = draft.last_time(call.lane, None if place.after is None else place.after.n)
    return None if time is None else iso(time)


def _time(parent: Entry, call: Entry) -> int:
    return parent.time or call.time or 0


def _place(draft: Draft, call: Entry) -> _Place:
    lines, results = _batch(draft, call)
    members = {entry.n for entry in (*lines, *results)}
    parent = _parent(draft, call, lines, results)
    around = [
        kid
        for member in (*lines, *results)
        for kid in draft.kids(member)
        if kid.n not in members and kid.lane == call.lane and (kid.on_chain or not call.on_chain)
    ]
    ancestors = draft.ancestors(parent, frozenset(kid.n for kid in around)) if around else ()
    followers = tuple(kid for kid in around if kid.n not in ancestors)
    if not _goes_on(draft, call, members):
        return _Place(parent, None, (), "orphan-call-tail")
    followers += _resumed_above(draft, call, lines)
    stored = [entry for entry in (*lines, *results) if entry.length]
    after = max(stored, key=lambda entry: entry.n)
    return _Place(parent, after, followers, "partial-parallel" if results else "orphan-call-mid")


def _resumed_above(draft: Draft, call: Entry, lines: list[Entry]) -> tuple[Entry, ...]:
    """What a resume hung on the record above the response, since it left the open call out.

    No walk comes to the call any more, so an answer alone would reach nobody. A person who goes
    back leaves a branch that starts with a prompt; one that starts with the response was never
    left. A real answer beside it is the same request, tried again.
    """
    if call.lane != "main" or any(entry.on_chain for entry in lines):
        return ()  # siblings of what is on the chain are found
    above = draft.above(min(lines, key=lambda entry: entry.n))
    next(above)
    for entry in above:
        if entry.on_chain:
            return tuple(
                kid
                for kid in draft.kids(entry)
                if kid.on_chain and kid.n > call.n and kid.kind != "result"
                and (kid.type != "assistant" or _SYNTHETIC in draft.bytes_of(kid))
            )  # fmt: skip
        if entry.type in ("user", "assistant"):
            break
    return ()


def _batch(draft: Draft, call: Entry) -> tuple[list[Entry], list[Entry]]:
    """The lines of the response, and the results that its calls have so far."""
    index = draft.index
    group = index.response(call.lane, call.group)
    others = (entry for entry in map(draft.at, group) if draft.holder(entry.uuid) == entry.n)
    lines = sorted({entry.n: entry for entry in (call, *others)}.values(), key=_n)
    ids = {row.call_id for entry in lines for row in index.calls(entry.n)}
    answered = {n for id in ids for n in index.results.of(id)}
    stored = (
        entry
        for entry in map(draft.at, sorted(answered))
        if entry.kind == "result" and entry.type == "user" and entry.lane == call.lane
    )
    uuids = {entry.uuid for entry in lines}
    fresh = (entry for uuid in uuids for entry in draft.answers(uuid) if entry.lane == call.lane)
    results = [*stored, *sorted(fresh, key=_n)]
    return lines, results


def _parent(draft: Draft, call: Entry, lines: list[Entry], results: list[Entry]) -> Entry:
    """The member from which a plain walk passes most of the others, the call's line among them.

    A walk from the new result then needs no recovery of siblings to see the batch.
    """
    members = {entry.n for entry in (*lines, *results)}
    first = min(members)
    best, most = call, 0
    for candidate in (call, *lines, *results):
        passed = set()
        for entry in draft.above(candidate):
            if entry.n < first:
                break
            passed.add(entry.n)
        count = len(passed & members)
        if call.n in passed and count > most:
            best, most = candidate, count
    return best


def _goes_on(draft: Draft, call: Entry, members: set[int]) -> bool:
    """Whether anything that the model gets stands behind the batch."""
    if not call.on_chain and call.lane == "main":
        return True  # a dead branch: at the end of the file the answer would become the leaf
    gone = draft.removed
    talk = draft.index.lanes[call.lane].talk  # without what this round adds
    later = islice(reversed(talk), len(talk) - bisect_right(talk, call.n))
    return any(n not in gone and n not in members for n in later)
