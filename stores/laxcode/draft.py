"""A session in the making: messages appended to the history, the window as it shall be."""

from collections.abc import Mapping
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct, field

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.stores._tables import Record, encoded
from suture.stores._times import a_moment_later
from suture.stores.laxcode.fields import Call
from suture.stores.laxcode.hashing import payload_hash
from suture.stores.laxcode.shape import ORIGINAL, Shape
from suture.stores.laxcode.stored import Stored
from suture.stores.laxcode.window import Entry, said, whole


class Item(Struct):
    """A row of the window in the making."""

    record: Record  # the message that it shows, with its columns; its place is decided at the end
    text: str
    originals: list[int]
    calls: list[Call]
    answers: str | None
    stored: Record | None = None  # the row of the current window that it is, unchanged or not
    changed: bool = False  # it says something else than the stored row


class Draft(Struct):
    path: str
    stored: Stored
    head: dict[str, Value]
    items: list[Item]
    added: list[RowEdit] = field(default_factory=list)  # to the history
    removed: list[Record] = field(default_factory=list)  # of the window
    uncovered: list[int] = field(default_factory=list)  # originals taken out, for the note
    anew: bool = False  # the window must be listed again under the next version
    new_head: bool = False
    last: Record = field(default_factory=dict)  # the newest message

    @classmethod
    def start(cls, path: str, stored: Stored) -> "Draft":
        session = stored.session
        pairs = zip(session.current, stored.current, strict=True)
        items = [_item(stored, entry, row) for entry, row in pairs]
        last = stored.raw[-1] if stored.raw else {}
        return cls(path, stored, dict(session.head or {}), items, last=last)

    @property
    def shape(self) -> Shape:
        return self.stored.shape

    @property
    def last_time(self) -> str | None:
        found = self.last.get("created_at")
        return str(found) if found is not None else None

    def append(self, role: str, text: str, answers: Call | None = None) -> tuple[Record, int]:
        """Add a message to the history; returns its row and number."""
        if not self.head:
            raise Unsupported("the session has no row that holds its counter")
        session, shape = self.stored.session, self.shape
        counted = whole(self.head.get(shape.counter)) or 0
        seq = max(session.highest, self._added(), counted - shape.counts_next) + 1
        known: dict[str, Value] = {
            "session_id": session.name,
            "seq": seq,
            "role": role,
            "content": text,
            "answers": answers.id if answers else ("" if shape.strict else None),
            "time": a_moment_later(self.last.get("created_at")),
        }
        record: Record = shape.native(known)
        if shape.shared:
            record = {**record, **self._original(seq, known["time"])}
        elif shape.linked:
            record = self._message(record, answers)
        self._add(record)
        self.last = record
        self.head[shape.counter] = seq + shape.counts_next
        return record, seq

    def _added(self) -> int:
        return max((whole(edit.after["seq"]) or 0 for edit in self.added if edit.after), default=0)

    def _original(self, seq: int, time: Value) -> Record:
        return {
            "message_type": ORIGINAL,
            "memory_generation": 0,
            "original_seq_json": self.json([seq]),
            "tool_calls_json": self.json(None),
            "updated_at": time,
        }

    def json(self, value: object) -> Value:
        """As the client writes it: Go binds JSON as bytes, other tools as text."""
        text = encoded(value)
        columns = (self.shape.columns["calls"], self.shape.columns["originals"])
        used = (row.get(column) for row in self.stored.raw for column in columns)
        return text.encode() if any(isinstance(value, bytes) for value in used) else text

    def _message(self, record: Record, answers: Call | None) -> Record:
        """Variant A: with its identity, and the turn and group of the call that it answers."""
        session = self.stored.session
        calls = zip(self.stored.raw, session.calls, strict=True)
        home = next((row for row, found in calls if answers in found), None) if answers else None
        made: Record = {
            **record,
            "message_kind": ORIGINAL,
            "turn_id": home["turn_id"] if home else "",
            "tool_call_group_id": home["tool_call_group_id"] if home else "",
            "reasoning_content": "",
            "tool_calls_json": self.json(None),
            "token_input": 0,
            "token_output": 0,
        }
        return self.identified(made, str(whole(record["seq"])))

    def identified(self, record: Record, what: str) -> Record:
        name = f"laxcode {self.stored.session.name} {what}"
        neighbours = list(self.stored.messages.values())
        hashed = {"payload_hash": payload_hash(record, neighbours)}
        return {**record, "message_id": str(uuid5(NAMESPACE_URL, name)), **hashed}

    def _add(self, record: Record) -> None:
        shape = self.shape
        if shape.linked:
            self.added.append(self.inserted(shape.raw, record, ("message_id",)))
            listed = {
                "message_id": record["message_id"],
                "session_id": record["session_id"],
                "seq": record["seq"],
                "active_chat_id": self.head.get("active_chat_id") or "",
                "committed_at": record["created_at"],
            }
            known = shape.table_columns["history_entries"]
            entry = {name: value for name, value in listed.items() if name in known}
            self.added.append(self.inserted("history_entries", entry, ("message_id",)))
            return
        key = ("session_id", "message_type", "memory_generation", "seq")
        self.added.append(
            self.inserted(shape.raw, record, key if shape.shared else ("session_id", "seq"))
        )

    def insert(self, at: int, record: Record, originals: list[int], answers: str | None) -> None:
        """Put a message of the history into the window."""
        text = record.get("content")
        item = Item(record, text if isinstance(text, str) else "", originals, [], answers)
        self.anew = self.anew or at < len(self.items)
        self.items.insert(at, item)

    def inserted(self, table: str, row: Record, key: tuple[str, ...]) -> RowEdit:
        return RowEdit(self.path, table, {name: row[name] for name in key}, None, row)

    def deleted(self, table: str, row: Record, key: tuple[str, ...]) -> RowEdit:
        named: Mapping[str, Value] = {name: row[name] for name in key}
        return RowEdit(self.path, table, named or dict(row), row, None)


def _item(stored: Stored, entry: Entry, row: Record) -> Item:
    record = stored.messages.get(row["message_id"], row) if stored.shape.linked else row
    originals, calls = list(entry.originals), list(entry.calls)
    return Item(record, said(entry.line), originals, calls, entry.answers, row)
