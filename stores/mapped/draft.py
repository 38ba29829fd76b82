"""A session in the making: each change is one compare-and-set of one row."""

import json
import re
from collections.abc import Mapping
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct, field

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.stores._times import a_moment_later
from suture.stores.mapped.hashes import filled
from suture.stores.mapped.mapping import MappingFile, Scalar
from suture.stores.mapped.message import Message, read_message
from suture.stores.mapped.rows import Record
from suture.stores.mapped.session import Session
from suture.stores.mapped.stored import integer
from suture.stores.mapped.viewing import head_column

_FILLED_IN = re.compile(r"\{(call_id|text|name|uuid)\}")

_TOO_HIGH = 2**63


class Draft(Struct):
    path: str
    session: Session
    head: Record | None
    messages: list[Message]
    pending: list[RowEdit] = field(default_factory=list)

    @classmethod
    def start(cls, path: str, session: Session) -> "Draft":
        return cls(path, session, session.stored.head, list(session.messages))

    @property
    def mapping(self) -> MappingFile:
        return self.session.mapping

    def taken(self) -> tuple[RowEdit, ...]:
        """The edits since the last call."""
        done, self.pending = tuple(self.pending), []
        return done

    def set_head(self, column: str, value: Value) -> None:
        if self.head is None:
            raise Unsupported("the session has no row of its own")
        table = self.session.stored.tables["session"]
        after = {**self.head, column: value}
        self.pending.append(
            RowEdit(
                self.path,
                table.name,
                table.key_of(self.head),
                table.plain(self.head),
                table.plain(after),
            )
        )
        self.head = after

    def set_message(self, message: Message, column: str, value: Value) -> None:
        table = self.session.stored.tables["message"]
        after = {**message.row, column: value}
        self.pending.append(
            RowEdit(
                self.path,
                table.name,
                table.key_of(message.row),
                table.plain(message.row),
                table.plain(after),
            )
        )
        self.messages[message.n] = read_message(self.mapping, message.n, after)

    def leave_out(self, message: Message) -> None:
        """No longer sent to the model; the row stays."""
        column = self.mapping.message.active
        if column is None:
            raise Unsupported(
                "the mapping names no message.active, so a message cannot be left out"
            )
        value = need(self.mapping, "inactive")
        if self.messages[message.n].active:
            self.set_message(self.messages[message.n], column, plain(value))

    def insert(
        self, template: Mapping[str, Scalar], values: Mapping[str, str], like: Message, ordinal: int
    ) -> None:
        """Add a message that is sent if `like` is."""
        table, mapping = self.session.stored.tables["message"], self.mapping.message
        before = self._before(ordinal)
        row: dict[str, Value] = {
            mapping.session: like.row[mapping.session],
            mapping.ordinal: ordinal,
        }
        if mapping.active is not None:
            row[mapping.active] = like.row[mapping.active]
        if mapping.version is not None:
            now = self.session.version
            row[mapping.version] = now if now is not None else like.row[mapping.version]
        if mapping.time is not None:
            row[mapping.time] = a_moment_later(before.row[mapping.time])
        values = {
            **values,
            "uuid": str(uuid5(NAMESPACE_URL, f"suture:{self.session.stored.id}:{ordinal}")),
        }
        row |= {column: _made(value, values) for column, value in template.items()}
        filled(self.mapping.hash, row, before.row)
        if lacking := sorted(table.needed - row.keys()):
            raise Unsupported(f"the row to add in [write] has no value for {', '.join(lacking)}")
        self.pending.append(RowEdit(self.path, table.name, self._key(row, like), None, row))
        whole = {**dict.fromkeys(table.columns), **row}
        self.messages.append(read_message(self.mapping, len(self.messages), whole))
        self._move_head(before, row)

    def _before(self, ordinal: int) -> Message:
        return max(
            (m for m in self.messages if m.ordinal is not None and m.ordinal < ordinal),
            key=lambda m: m.ordinal or 0,
        )

    def _key(self, row: dict[str, Value], like: Message) -> dict[str, Value]:
        """The new row's primary key; one that counts up is left to the database."""
        table = self.session.stored.tables["message"]
        for column in table.key:
            if column in row or column == "rowid":
                continue
            if len(table.key) == 1 and isinstance(like.row[column], int):
                break  # the database numbers them
            raise Unsupported(f"the row to add in [write] has no value for {column}")
        named = {column: row[column] for column in table.key if column in row}
        mapping = self.mapping.message
        return named or {name: row[name] for name in (mapping.session, mapping.ordinal)}

    def _move_head(self, before: Message, row: Record) -> None:
        """Counter and head pointer go on with the new message."""
        table = self.mapping.session
        if table is None or self.head is None:
            return
        ordinal = integer(row[self.mapping.message.ordinal]) or 0
        if table.counter is not None and (integer(self.head[table.counter]) or 0) <= ordinal:
            self.set_head(table.counter, ordinal + 1)
        column = head_column(self.session)
        if table.head is None or column is None or row.get(column) is None:
            return
        if str(self.head[table.head]) == str(before.row[column]):  # a fork keeps its own
            self.set_head(table.head, row[column])

    def next_ordinal(self) -> int:
        """Above every used one, and not below the stored counter."""
        used = [m.ordinal for m in self.messages if m.ordinal is not None]
        head = self.mapping.session
        stored = self.head[head.counter] if head and head.counter and self.head else None
        first = self.mapping.message.first
        found = max([o + 1 for o in used] + [integer(stored) or first, first])
        return number(found)


def need(mapping: MappingFile, key: str) -> Scalar:
    value: Scalar | None = getattr(mapping.write, key, None)
    if value is None:
        raise Unsupported(f"the mapping has no write.{key}, the value that this repair would write")
    return value


def need_row(mapping: MappingFile, key: str) -> Mapping[str, Scalar]:
    row: Mapping[str, Scalar] | None = getattr(mapping.write, key, None)
    if row is None:
        raise Unsupported(f"the mapping has no [write.{key}], the row that this repair would add")
    return row


def number(value: int) -> int:
    if value >= _TOO_HIGH - 1:  # the counter goes one above
        raise Unsupported("no number above the highest in use is left")
    return value


def plain(value: Scalar) -> Value:
    return int(value) if isinstance(value, bool) else value


def _made(value: Scalar, values: Mapping[str, str]) -> Value:
    """A placeholder that is all of the value is put in as it is, else as a JSON string."""
    if not isinstance(value, str):
        return plain(value)
    if found := _FILLED_IN.fullmatch(value):
        return values.get(found[1], "")
    return _FILLED_IN.sub(lambda m: json.dumps(values.get(m[1], ""), ensure_ascii=False), value)
