"""What is kept of each record of a transcript while the file is read."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from suture.stores._sink import column
from suture.stores._times import many_microseconds, zoned

_CHUNK = 1 << 15  # records: bounds the lists between here and Arrow
_TEXTS = ("kind", "type", "id", "parent", "group", "status", "session")
_FEW = ("kind", "type", "group", "status", "session")  # values, so each is kept once
_NUMBERS = ("line", "offset", "length")

# The marks of a record, one byte.
CHAINED = 1  # can be a link of the chain
MAIN = 2  # of the main lane
ASSISTANT = 4
USER = 8
ANSWER = 16  # a user's line with results
RENDERED = 32  # the client makes something of it that the model sees
TALK = 64
_SET = {mark: bytes(int(byte & mark > 0) for byte in range(256)) for mark in (1, 255)}


class Records:
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
        self.parent: list[str | None] = []
        self.stamp: list[str | None] = []
        self.group: list[str | None] = []
        self.status: list[str | None] = []
        self.session: list[str | None] = []
        self.marks = bytearray()
        self.up = array("q")  # n of the record that holds the parent's id, or -1
        self.by_id: dict[str, int] = {}  # of what can be a link of the chain
        self.loose: dict[int, str] = {}  # parents that no earlier record has
        self.newer: dict[int, int] = {}  # holders of an id → the next holder of it
        self.lanes: dict[int, str] = {}  # of records of other lanes than the main one
        self.recovered: set[int] = set()
        self.copies: dict[int, tuple[int, str]] = {}  # of which, and how: see model/rows.py
        self.same_ids: dict[int, int] = {}
        self.on_chain = self.sent = b""  # a byte a record, set when all is read
        self._chunks: list[dict[str, pa.Array]] = []
        self._before = 0  # records in the chunks

    def __len__(self) -> int:
        return len(self.marks)

    def settle(self) -> None:
        """When all is read: parents that stand behind their children are known now."""
        for n, parent in self.loose.items():
            self.up[n] = self.by_id.get(parent, -1)
        if self.newer:
            for n, at in enumerate(self.up):
                if at in self.newer:
                    self.up[n] = self.newest(at)
        self._cut()

    def newest(self, n: int) -> int:
        while n in self.newer:
            n = self.newer[n]
        return n

    def older(self) -> Iterator[tuple[int, int]]:
        """Records whose id a later record took, and that record."""
        return ((n, self.newest(n)) for n in self.newer)

    def names_parent(self, n: int) -> bool:
        return self.up[n] >= 0 or n in self.loose

    def lane(self, n: int) -> str:
        return self.lanes.get(n, "main")

    def value(self, name: str, n: int) -> Any:
        """One column of one record, while the file is read and after."""
        if n >= self._before:
            return getattr(self, name)[n - self._before]
        for chunk in self._chunks:
            if n < len(chunk[name]):
                return chunk[name][n].as_py()
            n -= len(chunk[name])
        raise IndexError(n)

    def values(self, name: str, ns: Sequence[int]) -> list[Any]:
        """One column of some records, when all is read."""
        if not ns:
            return []
        column = pa.chunked_array([plain(chunk[name]) for chunk in self._chunks])
        found: list[Any] = column.take(pa.array(ns, pa.int64())).to_pylist()
        return found

    def place(self, n: int) -> tuple[int, int, int]:
        """Line, offset and length."""
        return self.value("line", n), self.value("offset", n), self.value("length", n)

    def span(self, n: int) -> slice:
        """Where it stands in the file."""
        offset: int = self.value("offset", n)
        return slice(offset, offset + self.value("length", n))

    def cut_chunk(self) -> None:
        """Call now and then: a long file must not fill the memory with lists."""
        if len(self.kind) >= _CHUNK:
            self._cut()

    def _cut(self) -> None:
        if not self.kind:
            return
        chunk = {name: column(getattr(self, name), pa.string()) for name in _TEXTS}
        if len(self.kind) >= _CHUNK:
            chunk |= {name: chunk[name].dictionary_encode() for name in _FEW}
        chunk |= {name: column(getattr(self, name), pa.int64()) for name in _NUMBERS}
        chunk["time"] = many_microseconds(self.stamp, zoned)
        self._chunks.append(chunk)
        self._before += len(self.kind)
        for name in (*_TEXTS, *_NUMBERS, "stamp"):
            setattr(self, name, [])

    def chunks(self) -> Iterator[tuple[int, Mapping[str, pa.Array]]]:
        """When all is read: n of the first record of each chunk, and its columns."""
        first = 0
        for chunk in self._chunks:
            yield first, chunk
            first += len(chunk["kind"])

    def hand_over(self) -> Iterator[dict[str, Any]]:
        """The chunks as the record table has them, each gone when the next is asked for."""
        first = 0
        while self._chunks:
            chunk: dict[str, Any] = {**self._chunks.pop(0)}
            stop = first + len(chunk["kind"])
            chunk |= {name: plain(chunk[name]) for name in _FEW}
            chunk["n"] = pa.array(range(first, stop), pa.int64())
            chunk["chained"] = _flags(self.marks[first:stop], CHAINED)
            chunk["on_chain"] = _flags(self.on_chain[first:stop])
            chunk["sent"] = _flags(self.sent[first:stop])
            yield chunk | self._rare(first, stop)
            first = stop

    def _rare(self, first: int, stop: int) -> dict[str, Any]:
        """The columns that few records fill; without any of them, one value for all."""
        columns: dict[str, Any] = {}

        def fill(name: str, values: Mapping[int, Any], other: Any = None) -> None:
            if any(first <= n < stop for n in values):
                columns[name] = [values.get(n, other) for n in range(first, stop)]

        fill("lane", self.lanes, "main")
        fill("recovered", dict.fromkeys(self.recovered, True), False)
        fill("copy_of", {n: of for n, (of, _) in self.copies.items()})
        fill("copy_kind", {n: kind for n, (_, kind) in self.copies.items()})
        fill("same_id", self.same_ids)
        return columns


def plain(values: pa.Array) -> pa.Array:
    return values.cast(pa.string()) if pa.types.is_dictionary(values.type) else values


def _flags(marks: bytes | bytearray, wanted: int = 255) -> pa.Array:
    buffer = pa.py_buffer(bytes(marks).translate(_SET[wanted]))
    return pa.Array.from_buffers(pa.uint8(), len(marks), [None, buffer]).cast(pa.bool_())


def flag_bytes(flags: pa.Array) -> bytes:
    """A byte a value; none counts as not."""
    found: bytes = flags.fill_null(False).cast(pa.uint8()).buffers()[1].to_pybytes()
    return found[: len(flags)]
