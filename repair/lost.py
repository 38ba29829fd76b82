"""A unit whose journal was taken away in mid-work: what it was before is known to nobody.

What has not begun goes back, for that needs no journal. What has begun goes on to the end, for the
new files lie ready and the old bytes are gone.
"""

from suture.repair import disk, staging
from suture.repair.change import Change, UnitState
from suture.repair.staging import Look


def settle(state: UnitState) -> tuple[str, str]:
    """The status of the unit, and what there is to say about it."""
    if any(change.database for change in state.changes) or not state.changes:
        return "unfinished", "whether its rows were changed cannot be told any more; check it"
    looks = {change.source: staging.look(change) for change in state.changes}
    if all(look is Look.OLD for look in looks.values()):
        _clean(state)
        return "rolled_back", "nothing of the store was changed"
    if not all(_finish(change, looks[change.source]) for change in state.changes):
        return "unfinished", "some of its files are new and some are not; check it"
    _clean(state)
    return "applied", "what it was before cannot be had back"


def _finish(change: Change, look: Look) -> bool:
    if look is Look.BETWEEN:
        disk.remove(change.path)
    elif look is Look.OLD and staging.ready(change):
        staging.commit_new(change)
    return staging.look(change) is Look.NEW


def _clean(state: UnitState) -> None:
    for change in state.changes:
        staging.clean(change)
