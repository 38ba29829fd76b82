"""What is kept of each record of a transcript while the file is read."""

from array import array
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from suture.stores._columns import RecordColumns
from suture.stores._times import zoned
from suture.stores.claude_code.holders import Holders

# The marks of a record, one byte.
CHAINED = 1  # can be a link of the chain
MAIN = 2  # of the main lane
ASSISTANT = 4
USER = 8
ANSWER = 16  # a user's line with results
RENDERED = 32  # the client makes something of it that the model sees
TALK = 64
LINK = CHAINED | MAIN


class Records(RecordColumns):
    texts = ("kind", "type", "id", "parent", "group", "status", "session")
    few = ("kind", "type", "group", "status", "session")
    numbers = ("line", "offset", "length")

    def __init__(self) -> None:
        super().__init__()
        self.parent: list[str | None] = []
        self.status: list[str | None] = []
        self.session: list[str | None] = []
        self.marks = bytearray()
        self.up = array("q")  # n of the record that holds the parent's id, or -1
        self.by_id = Holders()  # of what can be a link of the chain
        self.loose: dict[int, str] = {}  # parents that no earlier record has
        self.newer: dict[int, int] = {}  # holders of an id → the next holder of it
        self.lanes: dict[int, str] = {}  # of records of other lanes than the main one
        self.on_chain = self.sent = b""  # a byte a record, set when all is read

    def time_of(self, stamp: str) -> int | None:
        return zoned(stamp)

    def settle(self) -> None:
        """When all is read: parents that stand behind their children are known now."""
        for n, parent in self.loose.items():
            at = self.by_id.get(parent)
            self.up[n] = -1 if at is None else at
        if self.newer:
            for n, at in enumerate(self.up):
                if at in self.newer:
                    self.up[n] = self.newest(at)
        self.close()

    def newest(self, n: int) -> int:
        while n in self.newer:
            n = self.newer[n]
        return n

    def older(self) -> Iterator[tuple[int, int]]:
        """Records whose id a later record took, and that record."""
        return ((n, self.newest(n)) for n in self.newer)

    def drop_links(self) -> None:
        """When the chain is marked and nothing of it will be asked again."""
        self.by_id, self.up, self.loose = Holders(), array("q"), {}

    def lane(self, n: int) -> str:
        return self.lanes.get(n, "main")

    def hand_over(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for first, chunk in super().hand_over():
            stop = first + len(chunk["kind"])
            chunk["chained"] = marked(self.marks[first:stop], CHAINED)
            chunk["on_chain"] = self.on_chain[first:stop]
            chunk["sent"] = self.sent[first:stop]
            yield first, chunk

    def rare_columns(self) -> dict[str, Mapping[int, Any]]:
        return super().rare_columns() | {"lane": self.lanes}


def marked(marks: bytes | bytearray, wanted: int) -> bytes:
    """A byte a record: 1 where it has all of these marks."""
    return bytes(marks.translate(_having(wanted)))


@cache
def _having(wanted: int) -> bytes:
    return bytes(int(byte & wanted == wanted) for byte in range(256))


def both(some: bytes | bytearray, others: bytes | bytearray) -> bytes:
    """A byte a record: 1 where it is 1 in both."""
    return _bytes(_number(some) & _number(others), len(some))


def either(some: bytes | bytearray, others: bytes | bytearray) -> bytes:
    return _bytes(_number(some) | _number(others), len(some))


def without(some: bytes | bytearray, others: bytes | bytearray) -> bytes:
    return _bytes(_number(some) & ~_number(others), len(some))


def _number(ones: bytes | bytearray) -> int:
    return int.from_bytes(ones, "little")


def _bytes(number: int, count: int) -> bytes:
    return number.to_bytes(count, "little")
