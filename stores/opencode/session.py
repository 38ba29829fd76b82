"""What the parts of the view share: one session, its log, and the number of each record."""

from suture.stores.opencode.log import Log
from suture.stores.opencode.stored import Stored


class Session:
    def __init__(self, unit: int, key: int, stored: Stored, live: str | None, full: bool) -> None:
        self.unit, self.key, self.stored, self.live, self.full = unit, key, stored, live, full
        self.log: Log = stored.log or Log()
        self.n_of = {(item.table, item.id): n for n, item in enumerate(stored.rows())}
