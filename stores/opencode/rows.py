"""Rows of a session on their way to the sink: what there is much of is tuples of a few columns."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from suture.stores._rows import add_columns, add_rows
from suture.stores._sink import Sink

_RECORD = (
    *("n", "kind", "type", "length", "table", "key", "id", "time", "recovered"),
    *("group", "status", "problem", "detail", "names_session"),
)
_OF_ROWS = {"ordinal": None, "lane": "main", "sent": None}  # of records that are no events
_CALL = ("n", "pos", "call_id", "name", "state", "outcome", "reason", "batch", "malformed")
_RESULT = ("n", "pos", "call_id", "status", "placeholder", "marked", "digest", "bytes")
Tuples = list[tuple[Any, ...]]


class Rows(Struct):
    records: Tuples = field(default_factory=list)
    calls: Tuples = field(default_factory=list)
    results: Tuples = field(default_factory=list)
    others: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)  # whole, by table

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        self.others.append((table, row))

    def extend(self, rows: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        self.others += rows

    def hand_over(
        self, session: int, events: Mapping[str, list[Any]], sent_from: int, sink: Sink
    ) -> None:
        """`events`: columns of the records that come after the others."""
        sink.add_all(self.others)
        columns = self._record_columns(events)
        columns["sent"][1:sent_from] = [False] * max(0, sent_from - 1)
        add_columns(sink, "record", columns, session=session)
        add_rows(sink, "call", _CALL, self.calls, session=session, part=0, lane="main")
        add_rows(sink, "result", _RESULT, self.results, session=session, part=1, lane="main")

    def _record_columns(self, events: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        known = dict(zip(_RECORD, zip(*self.records, strict=True), strict=False))
        rows, more = len(self.records), len(events["n"])
        return {
            name: [*known.get(name, [same] * rows), *events.get(name, [None] * more)]
            for name, same in {**dict.fromkeys(_RECORD), **_OF_ROWS}.items()
        }
