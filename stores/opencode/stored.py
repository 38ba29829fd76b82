"""One session as it is stored, in rows of the database or in files of the older tree."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, field

from suture.model.edit import Value
from suture.stores.opencode.values import Fault, written

if TYPE_CHECKING:
    from suture.stores.opencode.log import Log

SESSION, MESSAGE, PART = "session", "message", "part"
EVENT, SEQUENCE = "event", "event_sequence"

Columns = Mapping[str, Value]


class Item(NamedTuple):
    """A row, or a file of the tree, with the JSON value that it holds. A tuple: there are as many
    as records."""

    table: str
    id: str
    columns: Columns  # of a file: what a row would hold
    body: Any = None  # the JSON object without the ids that columns hold
    fault: Fault | None = None
    path: str | None = None  # of its own file

    @property
    def type(self) -> Any:
        """Of a part."""
        return self.body.get("type") if self.body else None

    @property
    def key(self) -> str:
        return key_of(self.id)

    def number(self, column: str) -> int | None:
        value = self.columns.get(column)
        return value if isinstance(value, int) else None


class Event(NamedTuple):
    """A row of the log. What it tells is in the log that it was folded into."""

    id: str
    seq: Value
    type: Value
    length: int  # of its data
    fault: Fault | None = None

    @property
    def number(self) -> int | None:
        return self.seq if isinstance(self.seq, int) else None

    @property
    def item(self) -> Item:
        return Item(EVENT, self.id, {}, None, self.fault)


def key_of(name: str) -> str:
    if name.isascii() and name.isidentifier():
        return f'{{"id":"{name}"}}'
    return written({"id": name})


class Message(Struct, frozen=True):
    item: Item
    parts: tuple[Item, ...]

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def body(self) -> Any:
        return self.item.body


class Problem(Struct, frozen=True):
    """A reference of a row that leads nowhere."""

    table: str
    key: str
    detail: str
    rows: int
    removable: bool  # the row is of no use to anybody


class Stored(Struct, frozen=True):
    id: str
    path: str
    session: Item | None
    faults: tuple[tuple[str, Fault], ...]  # of JSON columns of the session's row
    messages: tuple[Message, ...]  # in the order that the client sends them
    strays: tuple[Item, ...]  # parts whose message is absent
    events: tuple[Event, ...] = ()  # in the order of seq
    sequence: Item | None = None  # the counter's row
    problems: tuple[Problem, ...] = ()
    elsewhere: tuple[Item, ...] = ()  # rows that the log gives to this session, and others have
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of each table
    log: "Log | None" = None  # the events folded up; None: the store has none

    lost_parent: str | None = None  # of its row: a session that is not in the database

    @property
    def is_tree(self) -> bool:
        return not self.columns

    @property
    def has_log(self) -> bool:
        return bool(self.columns.get(EVENT)) and bool(self.columns.get(SEQUENCE))

    def rows(self) -> Iterator[Item]:
        """In the order of `n`; the events come after them."""
        if self.session is not None:
            yield self.session
        for message in self.messages:
            yield message.item
            yield from message.parts
        yield from self.strays
