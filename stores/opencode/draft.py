"""A session in the making: rows with their events and the counter, or files of the tree."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from suture.model.edit import Edit, FileEdit, RowEdit, Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.stores.opencode import ids
from suture.stores.opencode.counts import totals
from suture.stores.opencode.finals import last_ms
from suture.stores.opencode.log import Log
from suture.stores.opencode.stored import (
    EVENT,
    MESSAGE,
    PART,
    SEQUENCE,
    SESSION,
    Columns,
    Item,
    Message,
    Stored,
)
from suture.stores.opencode.tree import body_of_file, place_of
from suture.stores.opencode.values import at, written

_NO_TREE = "the older tree has no such value"


class Row(Struct):
    """A message or a part as it shall be; `body` None: gone."""

    table: str
    id: str
    before: Columns | None
    columns: dict[str, Value]
    body: dict[str, Any] | None
    path: str | None
    touched: bool = False
    told: bool = False  # the change wants an event

    @classmethod
    def of(cls, item: Item) -> "Row":
        return cls(item.table, item.id, item.columns, dict(item.columns), item.body, item.path)


class Draft:
    def __init__(self, stored: Stored) -> None:
        self.stored = stored
        self.log: Log = stored.log or Log()
        self.order: tuple[Item, ...] = (*stored.rows(), *(e.item for e in stored.events))
        known = (*self.order, *stored.elsewhere)
        self.rows = {(i.table, i.id): Row.of(i) for i in known if i.table in (MESSAGE, PART)}
        self.message_of = {p.id: m for m in stored.messages for p in (m.item, *m.parts)}
        self.head: dict[str, Value] | None = (
            dict(stored.session.columns) if stored.session else None
        )
        self.seq: int | None = None  # the counter, if it was set by hand

    def body(self, item: Item) -> dict[str, Any]:
        found = self.rows[item.table, item.id].body
        if found is None:
            raise Unsupported(f"the {item.table} {item.id} cannot be read, or is gone")
        return found

    def set_body(self, item: Item, body: dict[str, Any], told: bool = True) -> None:
        row = self.rows[item.table, item.id]
        row.body, row.touched, row.told = body, True, row.told or told

    def remove(self, item: Item) -> None:
        """With an event where the log knows of the row: what it never heard of it need not lose."""
        row = self.rows[item.table, item.id]
        row.body, row.touched, row.told = None, True, self.log.wanted(item) is not None

    def remove_message(self, message: Message) -> None:
        self.remove(message.item)
        for part in message.parts:
            self.remove(part)

    def add(self, table: str, name: str, columns: dict[str, Value], body: Any, told: bool) -> None:
        folder = str(columns["message_id"] if table == PART else columns["session_id"])
        path = place_of(self.stored, table, folder, name) if self.stored.is_tree else None
        old = self.rows.get((table, name))  # a row that was there and could not be read
        before = old.before if old else None
        row = Row(table, name, before, {"id": name, **columns}, body, path, True, told)
        self.rows[table, name] = row

    def edits(self, files: Files) -> list[Edit]:
        if self.stored.is_tree:
            if self.head != (dict(self.stored.session.columns) if self.stored.session else None):
                raise Unsupported(_NO_TREE)
            changed = (_file_edit(row, files) for row in self.rows.values())
            return [edit for edit in changed if edit]
        found: list[Edit] = [*self._head_edit()]
        found += [edit for edit in map(self._row_edit, self.rows.values()) if edit]
        return found + list(self._log_edits())

    def _row_edit(self, row: Row) -> RowEdit | None:
        after = None
        if row.body is not None:
            after = {**row.columns, "data": written(row.body)}
            after = {k: v for k, v in after.items() if k in self.stored.columns[row.table]}
        if not row.touched or after == row.before:
            return None
        return RowEdit(self.stored.path, row.table, {"id": row.id}, row.before, after)

    def _head_edit(self) -> Iterator[RowEdit]:
        before = self.stored.session.columns if self.stored.session else None
        after = self.head
        gone = [r for r in self.rows.values() if r.touched and r.body is None]
        if after is not None and any(self._was_step(row) for row in gone):
            left = {name: after[name] for name in after}
            for name, removed in self._sums(gone).items():
                kept = left.get(name)
                if isinstance(kept, int | float):
                    after[name] = kept - removed
        if after is not None and after != before:
            yield RowEdit(self.stored.path, SESSION, {"id": self.stored.id}, before, after)

    def _was_step(self, row: Row) -> bool:
        item = next((i for i in self.order if (i.table, i.id) == (row.table, row.id)), None)
        return item is not None and at(item.body, "type") == "step-finish"

    def _sums(self, gone: list[Row]) -> dict[str, Any]:
        """The client takes the tokens of a removed message off the session."""
        names = {row.id for row in gone}
        messages = tuple(
            Message(m.item, tuple(p for p in m.parts if p.id in names))
            for m in self.stored.messages
        )
        removed = Stored(self.stored.id, self.stored.path, None, (), messages, ())
        return totals(removed)

    def _log_edits(self) -> Iterator[RowEdit]:
        events = list(self._events()) if self.stored.has_log else []
        sequence = self.stored.sequence
        known = [seq for event in self.stored.events if (seq := event.number) is not None]
        kept = sequence.number("seq") if sequence else None
        last = self.seq if self.seq is not None else max([*known, -1 if kept is None else kept, -1])
        if not events and (self.seq is None or self.seq == kept):
            return
        before = sequence.columns if sequence else None
        after: dict[str, Value] = {**(before or {}), "aggregate_id": self.stored.id}
        after["seq"] = last + len(events)
        yield RowEdit(self.stored.path, SEQUENCE, {"aggregate_id": self.stored.id}, before, after)
        previous = self.stored.events[-1].id if self.stored.events else None
        ms = last_ms(self.stored.messages)
        for seq, (kind, data) in enumerate(events, last + 1):
            previous = ids.after(previous, "evt", ms, self.stored.id, seq)
            row: dict[str, Value] = {"id": previous, "aggregate_id": self.stored.id, "seq": seq}
            row |= {"type": kind, "data": written(data)}
            yield RowEdit(self.stored.path, EVENT, {"id": previous}, None, row)

    def _events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        session = self.stored.id
        removed = {r.id for r in self.rows.values() if r.told and r.body is None}
        parts_first = sorted(self.rows.values(), key=lambda row: row.table == MESSAGE)
        for row in parts_first:
            if not row.told:
                continue
            if row.table == MESSAGE:
                named = {"id": row.id, "sessionID": session}
                if row.body is None:
                    yield "message.removed.1", {"sessionID": session, "messageID": row.id}
                else:
                    info = {**named, **row.body}
                    yield "message.updated.1", {"sessionID": session, "info": info}
                continue
            message = str(row.columns.get("message_id"))
            if row.body is None:
                if message not in removed:
                    data = {"sessionID": session, "messageID": message, "partID": row.id}
                    yield "message.part.removed.1", data
                continue
            part = {"id": row.id, "sessionID": session, "messageID": message, **row.body}
            time = last_ms(self.stored.messages)
            yield "message.part.updated.1", {"sessionID": session, "part": part, "time": time}


def _file_edit(row: Row, files: Files) -> FileEdit | None:
    assert row.path is not None
    if not row.touched:
        return None
    before = bytes(files.data(row.path)) if files.exists(row.path) else None
    after = None
    if row.body is not None:
        named: dict[str, Any] = {"id": row.id, "sessionID": row.columns.get("session_id")}
        if row.table == PART:
            named["messageID"] = row.columns.get("message_id")
        missing = {key: value for key, value in named.items() if key not in row.body}
        after = body_of_file({**missing, **row.body})
    return None if before == after else FileEdit(row.path, before, after)
