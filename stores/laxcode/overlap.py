"""A window in which no original stands twice."""

from suture.model.errors import Unsupported
from suture.stores.laxcode.draft import Item


def without_overlap(items: list[Item]) -> list[Item]:
    """The earlier row keeps an original; a later row that is left with none goes."""
    seen: set[int] = set()
    kept: list[Item] = []
    gone: list[Item] = []
    for item in items:
        left = [seq for seq in item.originals if seq not in seen]
        seen.update(left)
        if not left and item.originals:
            gone.append(item)
        else:
            item.originals = left
            kept.append(item)
    _check_pairs(kept, gone)
    return kept


def _check_pairs(kept: list[Item], gone: list[Item]) -> None:
    calls = {call.id for item in kept for call in item.calls}
    answers = {item.answers for item in kept if item.answers is not None}
    for item in gone:
        lost = {call.id for call in item.calls if call.id not in calls and call.id in answers}
        if lost or (item.answers in calls and item.answers not in answers):
            raise Unsupported("without the repeated row a call and its result would be parted")
