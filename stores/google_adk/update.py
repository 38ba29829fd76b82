"""`update_time`: a process whose session is older may not append, so each repair raises it."""

from collections.abc import Iterable

from suture.stores._tables import Record
from suture.stores.google_adk.clock import micros
from suture.stores.google_adk.tables import Stored

UPDATE_TIME = "sessions.update_time"


def moment(head: Record | None) -> int | None:
    return micros(head.get("update_time")) if head else None


def last_moment(stored: Stored) -> int | None:
    return latest(stored.events)


def latest(events: Iterable[Record]) -> int | None:
    times = (micros(row["timestamp"]) for row in events)
    return max((time for time in times if time is not None), default=None)
