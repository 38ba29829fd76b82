"""What the parts of the view share: one session, its log, and the number of each record."""

from suture.stores.opencode.compactions import compactions, first_sent
from suture.stores.opencode.log import Log
from suture.stores.opencode.stored import MESSAGE, Stored


class Session:
    def __init__(self, unit: int, key: int, stored: Stored, live: str | None, full: bool) -> None:
        self.unit, self.key, self.stored, self.live, self.full = unit, key, stored, live, full
        self.log: Log = stored.log or Log()
        self.n_of = {(item.table, item.id): n for n, item in enumerate(stored.rows())}
        self.asked = tuple(compactions(stored))
        first = first_sent(stored, self.asked)
        self.sent_from = self.n_of[MESSAGE, first.id] if first else 0  # what is before is cut off
