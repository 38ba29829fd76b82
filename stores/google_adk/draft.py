"""A session in the making: its events in the order of their times."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

from msgspec import Struct, field

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.stores._tables import Record, dumped
from suture.stores.google_adk.clock import for_variant, micros, of_variant
from suture.stores.google_adk.event import Event, event, is_plain
from suture.stores.google_adk.tables import EVENTS, SERVICE, SESSIONS, Stored, event_key
from suture.stores.google_adk.update import latest, moment

_ACTIONS = (
    "state_delta",
    "artifact_delta",
    "requested_auth_configs",
    "requested_tool_confirmations",
)
_KEPT = ("branch", "isolation_scope", "node_info")  # who may see an event


class Slot(Struct, eq=False):
    """An event. `was` None: it is new; `row` None: it goes, and what else is asked for it is done
    with that."""

    was: Record | None
    row: dict[str, Value] | None
    event: Event


class Draft(Struct):
    path: str
    stored: Stored
    slots: list[Slot]
    known: list[Slot]  # by n
    head: dict[str, Value] | None = None  # as it shall be
    answers: dict[str, Slot] = field(default_factory=dict)  # event with calls → the one added

    @classmethod
    def start(cls, path: str, stored: Stored) -> "Draft":
        slots = [Slot(row, dict(row), event(row, stored.variant)) for row in stored.events]
        head = dict(stored.head) if stored.head else None
        return cls(path, stored, list(slots), slots, head)

    @property
    def last_time(self) -> str | None:
        found = self.stored.events[-1]["timestamp"] if self.stored.events else None
        return str(found) if found is not None else None

    def insert(self, after: Slot, author: str, role: str, parts: list[dict[str, Any]]) -> Slot:
        """A new event right behind another one, of the same invocation and branch."""
        time = self._moment_after(after)
        assert after.row is not None
        seed = f"{self.stored.key} {after.event.id} {author} {parts}"
        name = str(UUID(bytes=sha256(seed.encode("utf-8", "surrogatepass")).digest()[:16]))
        value = {
            "content": {"parts": parts, "role": role},
            "invocation_id": after.row["invocation_id"],
            "author": author,
            "actions": {name: {} for name in _ACTIONS},
            **{name: after.event.value[name] for name in _KEPT if name in after.event.value},
            "id": name,
            "timestamp": time / 1_000_000,
        }
        row = {
            **event_key(after.row),
            "id": name,
            "invocation_id": after.row["invocation_id"],
            "timestamp": for_variant(time, self.stored.variant),
            "event_data": dumped(value, self._sample()),
        }
        slot = Slot(None, row, event(row, self.stored.variant))
        self.slots.insert(self.slots.index(after) + 1, slot)
        return slot

    def _sample(self) -> Value:
        return next((s.was["event_data"] for s in self.known if s.was and s.event.value), "{}")

    def _moment_after(self, slot: Slot, moving: Slot | None = None) -> int:
        """The next microsecond, if it comes before the time of the next event."""
        if slot.row is None:
            raise Unsupported("the event before is taken out by the same repair")
        stored = slot.row["timestamp"]
        if not of_variant(stored, micros(stored), self.stored.variant):
            raise Unsupported("the time of the event before is of another type than the column's")
        here = micros(slot.row["timestamp"])
        assert here is not None
        later = self.slots[self.slots.index(slot) + 1 :]
        following = next((s.row for s in later if s is not moving and s.row is not None), None)
        after = micros(following["timestamp"]) if following is not None else None
        if after is not None and after <= here + 1:
            raise Unsupported("no microsecond is free between the event and the next one")
        return here + 1

    def remove(self, slot: Slot) -> None:
        if slot.row is not None:
            slot.row = None
            self.slots.remove(slot)

    def rewrite(self, slot: Slot, value: dict[str, Any]) -> None:
        if slot.row is not None:
            if not is_plain(slot.row["event_data"]):
                raise Unsupported("the event holds what a new writing of it would change")
            slot.row["event_data"] = dumped(value, slot.row["event_data"])
            slot.event = event(slot.row, self.stored.variant)

    def move(self, slot: Slot, after: Slot) -> None:
        if slot.row is None:
            return
        time = self._moment_after(after, slot)
        self.slots.remove(slot)
        self.slots.insert(self.slots.index(after) + 1, slot)
        self.set_time(slot, time)

    def set_time(self, slot: Slot, time: int) -> None:
        """In the column and in the event: one service goes by the one, one by the other."""
        if slot.row is None:
            return
        slot.row["timestamp"] = for_variant(time, self.stored.variant)
        if slot.event.value:
            self.rewrite(slot, {**slot.event.value, "timestamp": time / 1_000_000})

    def edits(self) -> tuple[RowEdit, ...]:
        rows = []
        for slot in (*(s for s in self.known if s.row is None), *self.slots):
            known = slot.was or slot.row
            if known is not None and slot.was != slot.row:
                rows.append(RowEdit(self.path, EVENTS, event_key(known), slot.was, slot.row))
        if rows:
            self._fence()
        same = self.head == (dict(self.stored.head) if self.stored.head else None)
        if same and not rows:
            return ()
        if self.head is None:
            return tuple(rows)
        head = RowEdit(self.path, SESSIONS, self.stored.head_key, self.stored.head, self.head)
        return (head, *rows)

    def _fence(self) -> None:
        """Raise the time of the session: who still holds it as it was cannot append to it."""
        said = moment(self.head)
        if self.head is not None and said is not None and self.stored.head is not None:
            last = latest([slot.row for slot in self.slots if slot.row is not None]) or 0
            self.head["update_time"] = for_variant(max(said + 1, last), self.stored.variant)


def new_head(stored: Stored, columns: Mapping[str, object]) -> dict[str, Value]:
    """A session row from its events: the state is what their changes add up to."""
    if stored.head is not None or not stored.events:
        raise Unsupported("there is nothing to make the session's row from")
    state: dict[str, Any] = {}
    for row in stored.events:
        delta = event(row, stored.variant).actions.get("state_delta")
        for name, value in delta.items() if isinstance(delta, dict) else ():
            if not name.startswith(("app:", "user:", "temp:")):
                state[name] = value
    times = [row["timestamp"] for row in stored.events]
    known = {
        **stored.head_key,
        "state": dumped(state, '{"a":1}' if stored.variant == SERVICE else "{}"),
        "create_time": times[0],
        "update_time": times[-1],
    }
    return {name: value for name, value in known.items() if name in columns}
