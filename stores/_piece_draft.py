"""A session in the making whose messages are rows with an array of pieces, in order of time."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from msgspec import Struct, field

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.model.operation import Drop, DropPart, Operation, Quarantine, Truncate
from suture.model.place import Row
from suture.stores._pieces import Message
from suture.stores._tables import Record, dumped
from suture.stores._times import microseconds

# What is decoded of these is not what stands there.
_ODD = frozenset({"bad_number", "invalid_utf8", "lone_surrogate", "too_deep"})


class Slot(Struct, eq=False):
    """A message. `was` None: it is new; `row` None: it goes."""

    was: Record | None
    row: dict[str, Value] | None
    message: Message


class Draft(Struct):
    path: str
    table: str
    content: str  # column of the array
    time: str  # column that gives the order; of equal times the row written first comes first
    parse: Callable[[Record], Message]
    known: list[Slot]  # by n
    slots: list[Slot] = field(default_factory=list)

    @classmethod
    def start(
        cls,
        path: str,
        table: str,
        columns: tuple[str, str],
        parse: Callable[[Record], Message],
        messages: Sequence[Message],
    ) -> "Draft":
        known = [Slot(message.row, dict(message.row), message) for message in messages]
        return cls(path, table, *columns, parse, known, list(known))

    def slot_of(self, row_id: Value) -> Slot:
        for slot in self.known:
            if slot.was is not None and slot.was["id"] == row_id:
                return slot
        raise Unsupported("there is no such row any more")

    def remove(self, slot: Slot) -> None:
        if slot.row is not None:
            slot.row = None
            self.slots.remove(slot)

    def insert(self, after: Slot, row: dict[str, Value]) -> None:
        """Right behind another message. A new row is the last of those that share its time."""
        assert after.row is not None
        at = next(i for i, one in enumerate(self.slots) if one is after) + 1
        later = next((slot for slot in self.slots[at:] if slot.was is not None), None)
        row[self.time] = after.row[self.time]
        if later is not None and later.row is not None:
            here, there = microseconds(row[self.time]), microseconds(later.row[self.time])
            if here is None or there is None or there <= here:
                raise Unsupported("the message behind it has the same time: no row fits between")
        self.slots.insert(at, Slot(None, row, self.parse(row)))

    def rewrite(self, slot: Slot, pieces: Sequence[Any]) -> None:
        assert slot.row is not None
        slot.row[self.content] = dumped(list(pieces), slot.row[self.content])
        slot.message = self.parse(slot.row)

    def take_out(self, operations: Sequence[Operation]) -> Iterator[Operation]:
        """Carries out those that only take out, and yields each other one in its turn."""
        for operation in self._drop_parts(operations):
            if not self._took_out(operation):
                yield operation

    def _took_out(self, operation: Operation) -> bool:
        match operation:
            case Drop(n=n):
                self.remove(self.known[n])
            case Truncate(n=n):
                for later in self.known[n + 1 :]:
                    self.remove(later)
            case Quarantine(place=Row(table=table, key=key)) if table == self.table:
                self.remove(self.slot_of(json.loads(key).get("id")))
            case _:
                return False
        return True

    def _drop_parts(self, operations: Sequence[Operation]) -> list[Operation]:
        """Those of a message at once, for each counts in what was stored. Returns the others."""
        gone: dict[int, set[int]] = defaultdict(set)
        for operation in operations:
            if isinstance(operation, DropPart):
                gone[operation.n].add(operation.part)
        for n, parts in gone.items():
            self._drop(self.known[n], parts)
        return [operation for operation in operations if not isinstance(operation, DropPart)]

    def _drop(self, slot: Slot, gone: set[int]) -> None:
        """A message that would be left without words, calls and results goes as a whole."""
        left = [p for part, p in enumerate(slot.message.pieces) if part not in gone]
        if any(piece.kind not in ("reasoning", "other") for piece in left):
            if any(problem.kind in _ODD for problem in slot.message.problems):
                raise Unsupported("the message holds what a new writing of it would change")
            self.rewrite(slot, [piece.raw for piece in left])
        else:
            self.remove(slot)

    def end_of_batch(self, call: Slot) -> Slot:
        """The message of the call, or the last of the answers that stand right behind it."""
        at = next((i for i, slot in enumerate(self.slots) if slot is call), None)
        if at is None:
            raise Unsupported("the message of the call is taken out")
        last = call
        for slot in self.slots[at + 1 :]:
            if not slot.message.results & call.message.calls:
                break
            last = slot
        return last

    def fresh_id(self, *words: object) -> str:
        """The same for the same repair, in the shape of a UUID."""
        said = "\n".join(map(str, words)).encode("utf-8", "surrogatepass")
        text = sha256(said).hexdigest()
        return f"{text[:8]}-{text[8:12]}-8{text[13:16]}-a{text[17:20]}-{text[20:32]}"

    @property
    def last_time(self) -> str | None:
        times = [microseconds(slot.message.row[self.time]) for slot in self.known]
        last = max((time for time in times if time is not None), default=-1)
        if not 0 <= last < 253_402_300_800_000_000:  # the year 10000
            return None
        return datetime.fromtimestamp(last // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def added(self) -> int:
        return sum(slot.was is None for slot in self.slots)

    @property
    def removed(self) -> int:
        return sum(slot.row is None for slot in self.known)

    @property
    def cache_class(self) -> str:
        old = self.slots[: len(self.known)]
        if old == self.known and all(slot.row == slot.was for slot in old):
            return "append" if len(self.slots) > len(old) else "envelope"
        return "cut" if all(slot in self.known for slot in self.slots) else "payload"

    def edits(self) -> list[RowEdit]:
        """Changes first, then new rows in their order."""
        changed = [
            RowEdit(self.path, self.table, {"id": slot.was["id"]}, slot.was, slot.row)
            for slot in self.known
            if slot.was is not None and slot.row != slot.was
        ]
        new = [slot.row for slot in self.slots if slot.was is None and slot.row is not None]
        return changed + [
            RowEdit(self.path, self.table, {"id": row["id"]}, None, row) for row in new
        ]
