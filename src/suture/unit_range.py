"""Units that are judged together, one range after another."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from suture.db import Database
from suture.merging import Made
from suture.model.finding import Finding, Severity
from suture.model.scope import Scope
from suture.model.selection import Selection
from suture.model.unit import Unit
from suture.reading import Tables, read
from suture.reporting import report, session_states
from suture.run import Judged, complete
from suture.stores import DiskFiles, Sink
from suture.validators import Look, all_rules

K = TypeVar("K")

# What rules see that look across units: sessions, and the first header of each.
_ACROSS = {
    "session": "select * from session",
    "record": "select r.* from record r join (select session, min(n) as n from record "
    "where kind = 'header' group by session) using (session, n)",
}


class Given(NamedTuple):
    files: DiskFiles
    scope: Scope
    selection: Selection


class Range:
    """Units that are judged together, range after range."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.rows = 0
        self.sink = Sink(take=self._take)
        self._db = Database()

    def prepare(self) -> None:
        """While another process reads: what judging takes to import and to connect."""
        self._db.connect()
        all_rules()

    def read(self, units: Sequence[Unit], given: Given) -> None:
        for unit in units:
            read(unit, given.files.by_name(), given.scope, self.sink)
            self.units.append(unit)

    def take(self, units: Sequence[Unit], tables: Tables) -> None:
        """What another process has read."""
        self.units += units
        self._take(tables)

    def gather(self) -> None:
        """Make columns of what was read, while others still read."""
        self._take(self.sink.tables())

    def waiting(self, most: int) -> Tables | None:
        """All its rows; None beyond so many, or where some have reached DuckDB."""
        self._take(self.sink.tables())
        return self._db.waiting() if self.rows <= most else None

    def _take(self, tables: Tables) -> None:
        self.rows += sum(table.num_rows for _, table in tables)
        self._db.load(tables)

    @contextmanager
    def judged(self, given: Given, look: Look) -> Iterator[Judged]:
        """The range is empty afterwards."""
        self._take(self.sink.tables())
        try:
            complete(self._db, given.scope, lend=True)
            yield Judged(self._db, tuple(self.units), given.scope, look=look)
        finally:
            self._db.close()
            self.units, self.rows, self._db = [], 0, Database()

    def made(self, given: Given) -> Made:
        with self.judged(given, Look.INSIDE) as judged:
            return _made(judged, given.selection)


def _made(judged: Judged, selection: Selection) -> Made:
    across = {table: judged.db.arrow(query) for table, query in _ACROSS.items()}
    states = session_states(judged)
    made = report(judged, (), selection, states)
    return Made(made, list(states), bad(judged.by_session), bad(judged.around), across)


def bad(groups: Mapping[K, Sequence[Finding]]) -> dict[K, list[Finding]]:
    """Notes decide nothing."""
    kept = {key: [f for f in found if f.severity > Severity.INFO] for key, found in groups.items()}
    return {key: found for key, found in kept.items() if found}
