"""A session in the making: its messages in the order in which they shall be sent."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from suture.model.address import is_server
from suture.model.edit import RowEdit, Value
from suture.stores._tables import Record, dumped
from suture.stores.openai_agents.items import Item, item
from suture.stores.openai_agents.responses import Responses
from suture.stores.openai_agents.structure import Structure
from suture.stores.openai_agents.tables import Stored
from suture.stores.openai_agents.view import lane


class Slot(Struct, eq=False):
    """A message. `was` None: it is new; `row` None: it goes."""

    was: Record | None
    row: dict[str, Value] | None
    item: Item
    lane: str


class Draft(Struct):
    path: str
    stored: Stored
    fresh: Iterator[int]  # ids of new messages
    structure: Structure | None
    slots: list[Slot] = field(default_factory=list)
    known: list[Slot] = field(default_factory=list)  # by n
    anew: list[Slot] = field(default_factory=list)  # by time: they stand behind others of theirs
    new_head: dict[str, Value] | None = None

    @classmethod
    def start(
        cls, path: str, stored: Stored, fresh: Iterator[int], structure: Structure | None
    ) -> "Draft":
        slots = [Slot(row, dict(row), item(row), lane(stored, row)) for row in stored.messages]
        return cls(path, stored, fresh, structure, list(slots), slots)

    @property
    def last_time(self) -> str | None:
        found = self.stored.messages[-1]["created_at"] if self.stored.messages else None
        return str(found) if found is not None else None

    def _at(self, slot: Slot) -> int:
        return next(i for i, one in enumerate(self.slots) if one is slot)

    def remove(self, slot: Slot) -> None:
        if slot.row is not None:
            if self.structure is not None:
                self.structure.forget(slot.row["id"])
            slot.row = None
            self.slots.remove(slot)

    def insert(self, after: Slot, value: dict[str, Any]) -> Slot:
        """A new message right behind another one, in every branch that lists that one."""
        assert after.row is not None
        sample = next((s.was["message_data"] for s in self.known if s.was and s.item.value), "{}")
        row: dict[str, Value] = {
            "id": next(self.fresh),
            "session_id": self.stored.id,
            "message_data": dumped(value, sample),
            "created_at": after.row["created_at"],
        }
        slot = Slot(None, row, item(row), after.lane)
        self.slots.insert(self._at(after) + 1, slot)
        self.anew.append(slot)
        if self.structure is not None:
            self.structure.insert(after.row["id"], slot.item)
        return slot

    def move(self, slot: Slot, after: Slot) -> None:
        assert slot.row is not None and after.row is not None
        self.slots.remove(slot)
        self.slots.insert(self._at(after) + 1, slot)
        if self.stored.tables.variant == "sqlalchemy":  # the order is that of time, then of id
            slot.row["created_at"] = after.row["created_at"]
            self.anew.append(slot)
        if self.structure is not None:
            self.structure.move(slot.row["id"], after.row["id"])

    def rewrite(self, slot: Slot, value: dict[str, Any]) -> None:
        assert slot.row is not None
        slot.row["message_data"] = dumped(value, slot.row["message_data"])

    def end_of_batch(self, call: Slot) -> Slot:
        """The last of the call's siblings and of the results that stand right behind them."""
        own = [slot for slot in self.slots if slot.lane == call.lane]
        names = Responses([s.item for s in own], [s.lane for s in own])
        at = next(i for i, slot in enumerate(own) if slot is call)
        batch = names.name(at)
        ids = {s.item.call_id for i, s in enumerate(own) if names.name(i) == batch}
        last = at
        for i in range(at + 1, len(own)):
            here = own[i]
            answers = here.item.kind == "result" and here.item.call_id in ids
            if here.item.value and names.name(i) != batch and not answers:
                break
            last = i
        return own[last]

    def drop_lone_reasoning(self) -> None:
        """Reasoning goes with the call that it led to, unless a sibling of the call is left."""
        led_to: Slot | None = None
        for slot in reversed(self.known):
            if slot.item.kind != "reasoning":
                led_to = slot if slot.item.value else led_to
            elif slot.row is not None and led_to is not None and led_to.row is None:
                own = [s for s in self.slots if s.lane == slot.lane and s.item.value]
                rest = own[next(i for i, s in enumerate(own) if s is slot) + 1 :]
                after = next((s for s in rest if s.item.kind != "reasoning"), None)
                if after is None or not after.item.from_model:
                    self.remove(slot)

    def edits(self) -> tuple[RowEdit, ...]:
        """Guarded by the row of the session, which each append of the SDK changes."""
        self.drop_lone_reasoning()
        if self.stored.tables.variant == "sqlite":
            self._number()
        elif self.stored.tables.variant == "sqlalchemy":
            self._put_behind()
        before = {row["id"]: row for row in self.stored.messages}
        written = [slot.row for slot in self.slots if slot.row is not None]
        after = {row["id"]: row for row in written if "id" in row}
        table = self.stored.tables.messages
        rows = [
            RowEdit(self.path, table, {"id": key}, before.get(key), after.get(key))
            for key in dict.fromkeys((*before, *after))
            if before.get(key) != after.get(key)
        ]
        rows += [self._unnumbered(table, row) for row in written if "id" not in row]
        places = self.structure.edits(self.path) if self.structure is not None else []
        if not rows and not places and self.new_head is None:
            return ()
        return (*self._head(rows), *rows, *places)

    def _number(self) -> None:
        """The order is that of the ids: what stands behind a change is written one id further."""
        ids = sorted(_id(slot) for slot in self.slots)
        for slot, number in zip(self.slots, ids, strict=True):
            assert slot.row is not None
            slot.row["id"] = number

    def _put_behind(self) -> None:
        """The order is that of time, then of ids: what follows a new row and is of its time is
        written again behind it. A server numbers rows itself, else its next number is taken."""
        times: set[Value] = set()
        behind: list[dict[str, Value]] = []
        for slot in self.slots:
            assert slot.row is not None
            if any(slot is one for one in self.anew) or slot.row["created_at"] in times:
                times.add(slot.row["created_at"])
                behind.append(slot.row)
        handed = sorted(_number(row["id"]) for row in behind if _is_fresh(row, self.stored))
        for row in behind:
            if is_server(self.path):
                del row["id"]
            else:
                row["id"] = handed.pop(0) if handed else next(self.fresh)

    def _unnumbered(self, table: str, row: dict[str, Value]) -> RowEdit:
        key = {name: row[name] for name in ("session_id", "created_at", "message_data")}
        return RowEdit(self.path, table, key, None, row)

    def _head(self, rows: Sequence[RowEdit]) -> tuple[RowEdit, ...]:
        table, key = self.stored.tables.sessions, self.stored.key
        if self.new_head is not None:
            return (RowEdit(self.path, table, key, None, self.new_head),)
        if self.stored.head is None:
            return ()
        after = dict(self.stored.head)
        new = [edit.after["created_at"] for edit in rows if edit.before is None and edit.after]
        times = [time for time in (after["updated_at"], *new) if isinstance(time, str)]
        after["updated_at"] = max(times, default=after["updated_at"])
        return (RowEdit(self.path, table, key, self.stored.head, after),)


def _id(slot: Slot) -> int:
    assert slot.row is not None
    return _number(slot.row["id"])


def _number(found: Value) -> int:
    assert isinstance(found, int)
    return found


def _is_fresh(row: Record, stored: Stored) -> bool:
    return all(row["id"] != known["id"] for known in stored.messages)
