"""A session in the making: messages appended to the history, the window as it shall be."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.stores._times import a_moment_later
from suture.stores.laxcode.fields import answered, calls, encoded
from suture.stores.laxcode.tables import (
    COUNTER,
    RAW,
    SESSION,
    VERSION,
    WINDOW,
    Record,
    Stored,
    integer,
)
from suture.stores.laxcode.window import Entry, current_window


@dataclass(slots=True)
class Item:
    """A row of the window in the making. `row` lacks what its place decides."""

    row: Record
    originals: list[int]
    calls: list[str]
    answers: str | None
    kept: bool = True  # it stands in the current version already, unchanged

    @classmethod
    def of(cls, entry: Entry) -> "Item":
        ids = [call.id for call in entry.calls]
        return cls(entry.row, list(entry.originals), ids, entry.answers)


@dataclass(slots=True)
class Draft:
    path: str
    stored: Stored
    head: dict[str, Value]
    items: list[Item]
    added: list[Record] = field(default_factory=list)  # raw rows
    removed: list[Record] = field(default_factory=list)  # window rows
    uncovered: list[int] = field(default_factory=list)  # originals taken out, for the note
    anew: bool = False  # the window must be listed again under the next version
    new_head: bool = False

    @classmethod
    def start(cls, path: str, stored: Stored) -> "Draft":
        items = [Item.of(entry) for entry in current_window(stored).entries]
        return cls(path, stored, dict(stored.session or {}), items)

    @property
    def raw(self) -> tuple[Record, ...]:
        return (*self.stored.raw, *self.added)

    def append(self, role: str, content: str, call_id: str | None = None) -> int:
        """Add a message to the raw history; returns its seq."""
        if not self.head:
            raise Unsupported("the session has no row that holds its counter")
        used = [seq for row in self.raw if (seq := integer(row["seq"])) is not None]
        seq = max([*used, (integer(self.head.get(COUNTER)) or 1) - 1]) + 1
        last: Record = self.raw[-1] if self.raw else {}
        known: dict[str, Value] = {
            "session_id": self.stored.id,
            "seq": seq,
            "role": role,
            "content": content,
            "tool_call_id": call_id,
            "created_at": a_moment_later(last.get("created_at")),
        }
        columns = self.stored.columns[RAW]
        self.added.append({name: value for name, value in known.items() if name in columns})
        self.head[COUNTER] = seq + 1
        return seq

    def insert(self, at: int, message: Record, originals: list[int]) -> None:
        """Put a message of the raw history into the window."""
        item = Item(message, originals, [c.id for c in calls(message)[0]], answered(message), False)
        self.anew = self.anew or at < len(self.items)
        self.items.insert(at, item)

    def edits(self) -> tuple[RowEdit, ...]:
        """Guarded by the session's row as it was read: the counter and the version both."""
        if self.anew and VERSION in self.head:
            self.head[VERSION] = (self.stored.version or 0) + 1
        head = RowEdit(
            self.path,
            SESSION,
            {"session_id": self.stored.id},
            None if self.new_head else self.stored.session,
            self.head,
        )
        raw = [self._inserted(RAW, row, ("session_id", "seq")) for row in self.added]
        window = self._window()
        same = self.stored.session is not None and dict(self.stored.session) == self.head
        guard = () if same and not raw and not window else (head,)
        gone = tuple(self._deleted(row) for row in self.removed)
        return (*guard, *raw, *window, *gone)

    def _window(self) -> list[RowEdit]:
        if self.anew and self.stored.version_column is None:
            raise Unsupported("the window table keeps no versions, so it cannot be listed anew")
        version = integer(self.head.get(VERSION))
        first = 1 if self.anew else self._next_seq()
        listed = self.items if self.anew else [item for item in self.items if not item.kept]
        return [self._listed(item, seq, version) for seq, item in enumerate(listed, first)]

    def _next_seq(self) -> int:
        # seq counts within a version; a writer that never compacted gives a row its message's seq
        kept = (integer(item.row.get("seq")) for item in self.items if item.kept)
        used = [seq for seq in kept if seq is not None]
        return max(used, default=0) + 1

    def _listed(self, item: Item, seq: int, version: int | None) -> RowEdit:
        columns = self.stored.columns[WINDOW]
        row = {name: value for name, value in item.row.items() if name in columns}
        row.pop("id", None)  # the database numbers them
        row |= {"session_id": self.stored.id, "seq": seq, "original_seqs": encoded(item.originals)}
        key = ["session_id", "seq"]
        if self.stored.version_column is not None:
            row[self.stored.version_column] = version
            key.insert(1, self.stored.version_column)
        return self._inserted(WINDOW, row, key)

    def _inserted(self, table: str, row: Record, key: tuple[str, ...] | list[str]) -> RowEdit:
        return RowEdit(self.path, table, {name: row[name] for name in key}, None, row)

    def _deleted(self, row: Record) -> RowEdit:
        key: Mapping[str, Value] = {"id": row["id"]} if "id" in row else dict(row)
        return RowEdit(self.path, WINDOW, key, row, None)
