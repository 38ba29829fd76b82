"""What each record of a transcript hangs on, and whether its id was there before."""

from typing import Any

from msgspec import UNSET

from suture.stores.claude_code.copies import Copies
from suture.stores.claude_code.odd import no_parent
from suture.stores.claude_code.records import CHAINED, LINK
from suture.stores.claude_code.view import Transcript


class Parents:
    """What the walk over the lines remembers of ids. Their marks are set before."""

    def __init__(self, found: Transcript) -> None:
        self._found = found
        self._copies = Copies(found)
        self._linked = False  # whether a record of the main lane was there
        self._unchained: dict[str, int] = {}  # holders of ids that are no links of the chain

    def take(self, first: int) -> None:
        """Of the records from `first` on: what each hangs on, and whether its id is taken."""
        records = self._found.records
        marks, count = records.marks[first:], len(records.marks) - first
        parents: list[Any] = records.parent[-count:]
        add_up, by_id = records.up.append, records.by_id
        known, take = by_id.recent.get, by_id.recent.setdefault
        plain = by_id.older is None and not self._unchained
        rows = zip(records.id[-count:], parents, marks, strict=True)
        for n, (uuid, parent, mark) in enumerate(rows, first):
            up = known(parent, -1)
            if up < 0 and parent is not None:
                if parent is UNSET:  # a root to the client, as if it said null
                    if mark & LINK == LINK and self._linked:
                        no_parent(self._found, n)
                    parent = None  # noqa: PLW2901 (so it counts)
                    records.parent[n - first - count] = parent
                up = self._up(n, parent)
            add_up(up)
            if uuid is None:
                continue
            if not (plain and mark & CHAINED and take(uuid, n) == n):
                self._hold(n, uuid, mark)
                plain = by_id.older is None and not self._unchained
            if mark & LINK == LINK:
                self._linked = True

    def _up(self, n: int, parent: str | None) -> int:
        """The holder of an id that is not among the latest, or -1."""
        if parent is None:
            return -1
        at = self._found.records.by_id.get(parent)
        if at is None:
            self._found.records.loose[n] = parent
            return -1
        return at

    def _hold(self, n: int, uuid: str, mark: int) -> None:
        """A record with an id that may be taken."""
        records, unchained = self._found.records, self._unchained
        before = records.by_id.get(uuid)
        if before is not None and mark & CHAINED:
            records.newer[before] = n
        if before is not None or (before := unchained.get(uuid)) is not None:
            self._copies.compare(n, uuid, before)
        if mark & CHAINED:
            records.by_id[uuid] = n
        elif before is None:
            unchained[uuid] = n
