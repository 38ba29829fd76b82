"""What is kept of each record of a rollout while the file is read."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import pyarrow as pa
from msgspec import Struct, field

from suture.stores._sink import column
from suture.stores._times import many_microseconds
from suture.stores.codex.clock import micros
from suture.stores.codex.lines import Payload

_PICK = 1 << 13
_CHUNK = 1 << 15  # records: bounds the lists between here and Arrow


class Record(Struct, gc=False):
    n: int
    kind: str
    type: str
    line: int
    offset: int
    length: int
    id: str | None
    ordinal: int | None
    time: int | None
    group: str | None
    turn: str | None
    recovered: bool
    sent: bool


_TEXTS = ("kind", "type", "id", "group", "turn")
_FEW = ("kind", "type", "group", "turn")  # values, so each is kept once
_NUMBERS = ("line", "offset", "length", "ordinal")


def size(length: int, ordinal: int | None) -> int:
    """Without the ordinal's digits: a record that was written again has others."""
    return length if ordinal is None else length - len(str(ordinal))


class Records(Sequence[Record]):
    """Column by column: an object a record would cost as much as reading the record.

    What few records have is kept by n. Full chunks wait in Arrow, in a fraction of the room.
    """

    def __init__(self) -> None:
        self.kind: list[str] = []
        self.type: list[str] = []
        self.line: list[int] = []
        self.offset: list[int] = []
        self.length: list[int] = []
        self.id: list[str | None] = []
        self.ordinal: list[int | None] = []
        self.stamp: list[str | None] = []
        self.group: list[str | None] = []
        self.turn: list[str | None] = []
        self.recovered: set[int] = set()
        self.status: dict[int, str] = {}
        self.copies: dict[int, tuple[int, str]] = {}  # of which, and how: see model/rows.py
        self.same_ids: dict[int, int] = {}
        self.problems: dict[int, tuple[str, str]] = {}
        self.sent: Sequence[int] = ()  # set when all is read
        self._chunks: list[dict[str, pa.Array]] = []
        self._before = 0  # records in the chunks

    def __len__(self) -> int:
        return self._before + len(self.kind)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._all)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        return self._all[at]

    def value(self, name: str, n: int) -> Any:
        """One column of one record, while the file is read and after."""
        if n >= self._before:
            return getattr(self, name)[n - self._before]
        for chunk in self._chunks:
            if n < len(chunk[name]):
                return chunk[name][n].as_py()
            n -= len(chunk[name])
        raise IndexError(n)

    def place(self, n: int) -> tuple[int, int, int]:
        """Line, offset and length."""
        return self.value("line", n), self.value("offset", n), self.value("length", n)

    def span(self, n: int) -> slice:
        """Where its line stands in the file."""
        offset: int = self.value("offset", n)
        return slice(offset, offset + self.value("length", n))

    def note(self, n: int, problem: str, detail: str) -> None:
        self.problems.setdefault(n, (problem, detail))

    def cut_chunk(self) -> None:
        """Call now and then: a long file must not fill the memory with lists."""
        if len(self.kind) >= _CHUNK:
            self._cut()

    def _cut(self) -> None:
        chunk = {name: column(getattr(self, name), pa.string()) for name in _TEXTS}
        chunk |= {name: chunk[name].dictionary_encode() for name in _FEW}
        chunk |= {name: column(getattr(self, name), pa.int64()) for name in _NUMBERS}
        chunk["time"] = many_microseconds(self.stamp, micros)
        sizes = map(size, self.length, self.ordinal)
        looks = map(hash, zip(self.stamp, sizes, self.type, strict=True))
        chunk["look"] = pa.array(looks, pa.int64())
        self._chunks.append(chunk)
        self._before += len(self.kind)
        for name in (*_TEXTS, *_NUMBERS, "stamp"):
            setattr(self, name, [])

    def chunks(self) -> Iterator[tuple[int, dict[str, pa.Array]]]:
        """When all is read: n of the first record of each chunk, and its columns."""
        if self.kind:
            self._cut()
        first = 0
        for chunk in self._chunks:
            yield first, chunk
            first += len(chunk["kind"])

    def hand_over(self) -> Iterator[tuple[int, dict[str, pa.Array]]]:
        """The chunks as the record table has them, each gone when the next is asked for."""
        first = 0
        for _ in self.chunks():
            pass
        while self._chunks:
            chunk = self._chunks.pop(0)
            yield first, chunk | {name: chunk[name].cast(pa.string()) for name in _FEW}
            first += len(chunk["kind"])

    def column(self, name: str) -> pa.ChunkedArray:
        return pa.chunked_array([chunk[name] for _, chunk in self.chunks()])

    def pick(self, ns: Sequence[int]) -> Iterator[Record]:
        """Some records, in their order: all of them at once would fill the memory."""
        for at in range(0, len(ns), _PICK):
            some = ns[at : at + _PICK]
            rows = zip(*(self.column(name).take(some).to_pylist() for name in _FIELDS), strict=True)
            for n, row in zip(some, rows, strict=True):
                yield self._record(n, row, sent=False)

    def _record(self, n: int, row: tuple[Any, ...], sent: bool) -> Record:
        return Record(n, *row, n in self.recovered, sent)  # type: ignore[call-arg]  # in order

    @cached_property
    def _all(self) -> list[Record]:
        """For edits, which look at a few."""
        sent = set(self.sent)
        made: list[Record] = []
        for first, chunk in self.chunks():
            rows = zip(*(chunk[name].to_pylist() for name in _FIELDS), strict=True)
            for n, row in enumerate(rows, first):
                made.append(self._record(n, row, n in sent))
        return made

    def rare(self, first: int, count: int) -> dict[str, Any]:
        """The columns of a chunk that few records fill; without any of them, one value for all."""
        stop = first + count
        columns: dict[str, Any] = {}

        def fill(name: str, values: Mapping[int, Any], other: Any = None) -> None:
            if any(first <= n < stop for n in values):
                columns[name] = [values.get(n, other) for n in range(first, stop)]

        fill("recovered", dict.fromkeys(self.recovered, True), False)
        fill("status", self.status)
        fill("copy_of", {n: of for n, (of, _) in self.copies.items()})
        fill("copy_kind", {n: kind for n, (_, kind) in self.copies.items()})
        fill("same_id", self.same_ids)
        fill("problem", {n: name for n, (name, _) in self.problems.items()})
        fill("detail", {n: detail for n, (_, detail) in self.problems.items()})
        return columns


_FIELDS = ("kind", "type", "line", "offset", "length", "id", "ordinal", "time", "group", "turn")


class Compaction(Struct, gc=False):
    n: int
    kept: int | None
    talk_before: int
    pre_tokens: int | None
    opaque: bool


class Header(Struct):
    """What the session_meta records say; the first one names the thread."""

    n: int | None = None
    payload: Payload = field(default_factory=Payload)
    versions: dict[str, None] = field(default_factory=dict)

    @property
    def paginated(self) -> bool:
        return self.payload.history_mode == "paginated" or self.payload.history_base is not None
