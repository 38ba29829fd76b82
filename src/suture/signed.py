"""Signed reasoning behind a change or a loss: newer models bind it to all that was said before it,
so that a provider refuses it once the history is repaired. It goes with the repair where that is
legal."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from suture import stores
from suture.model.files import give_back
from suture.model.operation import DropPart, Repair, Safety
from suture.repair.drafts import Draft
from suture.repair.layout import Patch, size
from suture.repair.overlay import Overlay
from suture.run import Judged

_TITLE = "take out the signed thinking behind the change or the loss, which would be refused"
_OPEN_TURN = (
    "signed thinking behind the change would be refused, and its turn is still open:"
    " there it cannot be taken out"
)
_KEPT = "signed thinking behind the change would be refused"

# What is sent of a file, in order. A turn is open from its prompt on until a reply ends it: the
# thinking in it is asked for again together with the results.
_SENT = """
with spoken as (
    select * from located where unit = ? and path = ? and sent is not false
    and on_chain is not false and kind in ('prompt', 'summary', 'abort', 'reply', 'reasoning',
    'call', 'result')
),
last as (
    select session, lane, max(n) filter (kind in ('prompt', 'summary')) as prompt,
           arg_max("group", n) filter (kind in ('reply', 'call', 'reasoning')) as "group",
           max(n) filter (kind = 'abort') as abort from spoken group by session, lane
),
calling as (
    select l.session, l.lane, coalesce(l.prompt, -1) as since from last l
    where exists (
        select 1 from spoken s where s.session = l.session and s.lane = l.lane
        and s.kind = 'call' and s."group" is not distinct from l."group"
        and s.n > greatest(coalesce(l.prompt, -1), coalesce(l.abort, -1)))
)
select s.session, s.n, s."offset", s.length, s."group", s.n > c.since as in_open_turn
from spoken s left join calling c using (session, lane)
order by s."offset"
"""


_PLACES = """
select "offset", length from record where session in ({}) and sent is not false
and on_chain is not false and kind in ('reply', 'reasoning', 'call') order by "offset"
"""


class Signed(Struct, frozen=True):
    """A record with signed reasoning that is bound to another history."""

    session: int
    n: int
    parts: tuple[int, ...]
    in_open_turn: bool


def stale(mine: Draft, judged: Judged, overlay: Overlay) -> list[Signed]:
    """`judged`: what was found with the edits of `mine` in place."""
    if not stores.store_named(mine.unit.store).signs:
        return []
    return [
        found
        for path, start, end in _changed(mine, overlay)
        for found in _behind(path, start, end, mine, judged, overlay)
    ]


def repair(found: Sequence[Signed]) -> Repair | None:
    """All of it or nothing: what stays would be refused with or without the rest."""
    if not found or any(one.in_open_turn for one in found):
        return None
    dropped = (DropPart(one.session, one.n, part) for one in found for part in one.parts)
    return Repair(_TITLE, tuple(dropped), Safety.LOSSY)


def why(found: Sequence[Signed]) -> str | None:
    """What the provider would refuse in the repaired session."""
    if any(one.in_open_turn for one in found):
        return _OPEN_TURN
    return _KEPT if found else None


def _changed(mine: Draft, overlay: Overlay) -> Iterator[tuple[str, int, int]]:
    """Where each patched file first has something else for the model than was said once."""
    payload = {number for number, step in mine.steps.items() if step.cache_class == "payload"}
    for path, patches in overlay.patches.items():
        lacking = _over_a_loss(mine, patches)
        shift = 0
        for patch in patches:
            if patch.step in payload or patch.step in lacking:
                start = patch.offset + shift
                yield path, start, start + size(patch.after)
                break
            shift += size(patch.after) - patch.length


def _over_a_loss(mine: Draft, patches: Sequence[Patch]) -> set[int]:
    """Steps that hang a record on what stood above one that is lost for good: no request has that
    in its place again, so what was signed behind it is bound to what cannot be sent."""
    links = Counter(patch.step for patch in patches)
    return {
        number
        for number, step in mine.steps.items()
        for finding in step.findings
        if (finding.rule == "dangling-parent" and not finding.facts["above"])
        # with more than the line itself: the children of a line that cannot be read
        or (finding.rule == "bad-json" and finding.ids and links[number] > 1)
    }


def _behind(
    path: str, start: int, end: int, mine: Draft, judged: Judged, overlay: Overlay
) -> Iterator[Signed]:
    signed, data = stores.store_named(mine.unit.store).signed, overlay.data(path)
    if not _has_signed(path, mine, judged, signed, data):
        return
    rows = judged.db.rows(_SENT, mine.unit.index, path)
    if not rows or end < rows[0].offset:
        return  # what changes is not sent any more: a summary stands for it
    parts = {r.n: signed(bytes(data[r.offset : r.offset + r.length])) for r in rows}
    later = {row.n for row in rows if parts[row.n] and row.offset + row.length > start}
    # Of one answer all goes: thinking that is left behind alone counts as changed.
    groups = {row.group for row in rows if row.n in later and row.group is not None}
    for row in rows:
        if parts[row.n] and (row.n in later or row.group in groups):
            yield Signed(row.session, row.n, parts[row.n], bool(row.in_open_turn))


def _has_signed(
    path: str,
    mine: Draft,
    judged: Judged,
    signed: Callable[[bytes], tuple[int, ...]],
    data: memoryview,
) -> bool:
    """Whether any of it is sent: most sessions have none, and of a long one what is sent is much
    to ask for."""
    sessions = judged.db.rows(
        "select session from session where unit = ? and path = ?", mine.unit.index, path
    )
    if not sessions:
        return False
    places = judged.db.arrow(_PLACES.format(", ".join(str(row.session) for row in sessions)))
    starts, lengths = (column.to_pylist() for column in places.columns)
    found = any(signed(bytes(data[at : at + n])) for at, n in zip(starts, lengths, strict=True))
    give_back(data, 0, len(data))
    return found
